; The agent moves between places whose passages lead in one direction only.
(define (domain one-way)
  (:requirements :strips :typing)
  (:types place - object)
  (:predicates (at ?p - place) (turnstile ?a ?b - place))

  (:action slip
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (turnstile ?a ?b))
    :effect (and (not (at ?a)) (at ?b))))
