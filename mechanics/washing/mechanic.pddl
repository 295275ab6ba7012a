; A washtub is filled with water; a thing that is held over it is cleaned, which uses up the water.
(define (domain washing)
  (:requirements :strips :typing)
  (:types place thing washtub - object ware - thing)
  (:predicates (at ?p - place) (holds ?x - thing) (lies ?x - thing ?p - place) (washtub-in ?b - washtub ?p - place)
    (washtub-full ?b - washtub) (clean ?w - ware))

  (:action draw
    :parameters (?b - washtub ?p - place)
    :precondition (and (at ?p) (washtub-in ?b ?p))
    :effect (washtub-full ?b))

  (:action wash
    :parameters (?w - ware ?b - washtub ?p - place)
    :precondition (and (at ?p) (washtub-in ?b ?p) (washtub-full ?b) (holds ?w))
    :effect (and (not (washtub-full ?b)) (clean ?w))))
