; A vessel is filled at a source and poured into a basin, which can be drained.
(define (domain pouring)
  (:requirements :strips :typing)
  (:types place thing basin - object vessel - thing)
  (:predicates (at ?p - place) (holds ?x - thing) (spring ?p - place) (fixed-in ?b - basin ?p - place)
    (brimful ?v - vessel) (drained ?v - vessel) (flooded ?b - basin) (run-dry ?b - basin))

  (:action dip
    :parameters (?v - vessel ?p - place)
    :precondition (and (at ?p) (spring ?p) (holds ?v) (drained ?v))
    :effect (and (not (drained ?v)) (brimful ?v)))

  (:action decant
    :parameters (?v - vessel ?b - basin ?p - place)
    :precondition (and (at ?p) (fixed-in ?b ?p) (holds ?v) (brimful ?v) (run-dry ?b))
    :effect (and (not (brimful ?v)) (drained ?v) (not (run-dry ?b)) (flooded ?b)))

  (:action unplug
    :parameters (?b - basin ?p - place)
    :precondition (and (at ?p) (fixed-in ?b ?p) (flooded ?b))
    :effect (and (not (flooded ?b)) (run-dry ?b))))
