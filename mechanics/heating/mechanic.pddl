; A stove is fired and stays hot for one use; a raw product becomes a finished one beside it.
(define (domain heating)
  (:requirements :strips :typing)
  (:types place thing stove - object raw finished - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (stove-in ?s - stove ?p - place)
    (stove-hot ?s - stove) (becomes ?r - raw ?f - finished))

  (:action fire
    :parameters (?s - stove ?p - place)
    :precondition (and (at ?p) (stove-in ?s ?p))
    :effect (stove-hot ?s))

  (:action roast
    :parameters (?r - raw ?f - finished ?s - stove ?p - place)
    :precondition (and (at ?p) (stove-in ?s ?p) (stove-hot ?s) (lies ?r ?p) (becomes ?r ?f))
    :effect (and (not (lies ?r ?p)) (not (stove-hot ?s)) (lies ?f ?p))))
