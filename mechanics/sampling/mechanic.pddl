; A sample is drawn at its site and analysed at an instrument that was calibrated before; the result is then known.
(define (domain sampling)
  (:requirements :strips :typing)
  (:types place thing - object sample - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (comes-from ?s - sample ?p - place)
    (undrawn ?s - sample) (instrument ?p - place) (calibrated) (analysed ?s - sample))

  (:action extract
    :parameters (?s - sample ?p - place)
    :precondition (and (at ?p) (comes-from ?s ?p) (undrawn ?s))
    :effect (and (not (undrawn ?s)) (lies ?s ?p)))

  (:action calibrate
    :parameters (?p - place)
    :precondition (and (at ?p) (instrument ?p))
    :effect (calibrated))

  (:action analyse
    :parameters (?s - sample ?p - place)
    :precondition (and (at ?p) (instrument ?p) (lies ?s ?p) (calibrated))
    :effect (and (not (calibrated)) (analysed ?s))))
