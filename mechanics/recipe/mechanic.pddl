; Two ingredients that lie at a station become a product; both are used up.
(define (domain recipe)
  (:requirements :strips :typing)
  (:types place thing - object base addition mixture - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (mixer ?p - place) (unmade ?m - mixture))

  (:action mix
    :parameters (?a - base ?b - addition ?m - mixture ?p - place)
    :precondition (and (at ?p) (mixer ?p) (lies ?a ?p) (lies ?b ?p) (unmade ?m))
    :effect (and (not (lies ?a ?p)) (not (lies ?b ?p)) (not (unmade ?m)) (lies ?m ?p))))
