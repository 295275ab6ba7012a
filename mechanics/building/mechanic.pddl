; A structure gets its foundation, its walls and its roof, in that order, from materials that lie at its plot.
(define (domain building)
  (:requirements :strips :typing)
  (:types place thing structure - object walling roofing - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (plot ?s - structure ?p - place)
    (founded ?s - structure) (walled ?s - structure) (roofed ?s - structure))

  (:action found
    :parameters (?s - structure ?p - place)
    :precondition (and (at ?p) (plot ?s ?p))
    :effect (founded ?s))

  (:action erect
    :parameters (?w - walling ?s - structure ?p - place)
    :precondition (and (at ?p) (plot ?s ?p) (founded ?s) (lies ?w ?p))
    :effect (and (not (lies ?w ?p)) (walled ?s)))

  (:action thatch
    :parameters (?r - roofing ?s - structure ?p - place)
    :precondition (and (at ?p) (plot ?s ?p) (walled ?s) (lies ?r ?p))
    :effect (and (not (lies ?r ?p)) (roofed ?s))))
