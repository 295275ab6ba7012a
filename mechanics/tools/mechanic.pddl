; A held tool in good order is needed for work and worn by it; it is mended at a station.
(define (domain tools)
  (:requirements :strips :typing)
  (:types place thing - object tool - thing)
  (:predicates (at ?p - place) (holds ?x - thing) (grinder ?p - place) (tool-fit ?t - tool) (tool-worn ?t - tool))

  (:action mend
    :parameters (?t - tool ?p - place)
    :precondition (and (at ?p) (grinder ?p) (holds ?t) (tool-worn ?t))
    :effect (and (not (tool-worn ?t)) (tool-fit ?t))))
