; The agent carries things in two hands, one thing in each.
(define (domain two-hands)
  (:requirements :strips :typing)
  (:types place thing hand - object)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (holds ?x - thing)
    (hand-empty ?h - hand) (in-hand ?x - thing ?h - hand))

  (:action grasp
    :parameters (?x - thing ?h - hand ?p - place)
    :precondition (and (at ?p) (lies ?x ?p) (hand-empty ?h))
    :effect (and (not (lies ?x ?p)) (not (hand-empty ?h)) (holds ?x) (in-hand ?x ?h)))

  (:action release
    :parameters (?x - thing ?h - hand ?p - place)
    :precondition (and (at ?p) (holds ?x) (in-hand ?x ?h))
    :effect (and (not (holds ?x)) (not (in-hand ?x ?h)) (hand-empty ?h) (lies ?x ?p))))
