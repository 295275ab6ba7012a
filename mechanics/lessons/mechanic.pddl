; Some work can be done only after the instructions have been read, which hang in one place.
(define (domain lessons)
  (:requirements :strips :typing)
  (:types place - object)
  (:predicates (at ?p - place) (instructions ?p - place) (learned))

  (:action study
    :parameters (?p - place)
    :precondition (and (at ?p) (instructions ?p))
    :effect (learned)))
