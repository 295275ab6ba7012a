; Swap: every agent has at most one role, and two agents can exchange theirs.
(define (domain swap)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types agent role - object)
  (:predicates
    (assigned ?a - agent ?r - role))

  (:action swap
    :parameters (?a - agent ?b - agent ?r - role ?s - role)
    :precondition (and (assigned ?a ?r) (assigned ?b ?s) (not (= ?a ?b)) (not (= ?r ?s)))
    :effect (and (assigned ?a ?s) (assigned ?b ?r) (not (assigned ?a ?r)) (not (assigned ?b ?s)))))
