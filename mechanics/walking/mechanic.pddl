; The agent walks between places that are linked in both directions.
(define (domain walking)
  (:requirements :strips :typing)
  (:types place - object)
  (:predicates (at ?p - place) (link ?a ?b - place))

  (:action go
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (link ?a ?b))
    :effect (and (not (at ?a)) (at ?b))))
