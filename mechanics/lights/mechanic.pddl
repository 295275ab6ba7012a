; Lamps are switched on and off where they are; the wiring feeds only one at a time.
(define (domain lights)
  (:requirements :strips :typing)
  (:types place - object)
  (:predicates (at ?p - place) (lamp ?p - place) (lit ?p - place) (unlit ?p - place) (wiring-idle))

  (:action brighten
    :parameters (?p - place)
    :precondition (and (at ?p) (lamp ?p) (unlit ?p) (wiring-idle))
    :effect (and (not (unlit ?p)) (not (wiring-idle)) (lit ?p)))

  (:action darken
    :parameters (?p - place)
    :precondition (and (at ?p) (lit ?p))
    :effect (and (not (lit ?p)) (unlit ?p) (wiring-idle))))
