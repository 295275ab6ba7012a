; The agent takes things up and puts them down, one at a time.
(define (domain carrying)
  (:requirements :strips :typing)
  (:types place thing - object)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (holds ?x - thing) (hands-free))

  (:action take
    :parameters (?x - thing ?p - place)
    :precondition (and (at ?p) (lies ?x ?p) (hands-free))
    :effect (and (not (lies ?x ?p)) (not (hands-free)) (holds ?x)))

  (:action put
    :parameters (?x - thing ?p - place)
    :precondition (and (at ?p) (holds ?x))
    :effect (and (not (holds ?x)) (hands-free) (lies ?x ?p))))
