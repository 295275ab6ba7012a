; Seed is sown in a bed, watered until it is ripe, and harvested as the crop that it gives.
(define (domain growing)
  (:requirements :strips :typing)
  (:types place thing seedbed - object seed crop - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (seedbed-in ?b - seedbed ?p - place)
    (bare ?b - seedbed) (sown ?b - seedbed ?s - seed) (ripe ?b - seedbed ?s - seed) (yields ?s - seed ?c - crop))

  (:action sow
    :parameters (?s - seed ?b - seedbed ?p - place)
    :precondition (and (at ?p) (seedbed-in ?b ?p) (bare ?b) (lies ?s ?p))
    :effect (and (not (lies ?s ?p)) (not (bare ?b)) (sown ?b ?s)))

  (:action water
    :parameters (?s - seed ?b - seedbed ?p - place)
    :precondition (and (at ?p) (seedbed-in ?b ?p) (sown ?b ?s))
    :effect (and (not (sown ?b ?s)) (ripe ?b ?s)))

  (:action harvest
    :parameters (?s - seed ?c - crop ?b - seedbed ?p - place)
    :precondition (and (at ?p) (seedbed-in ?b ?p) (ripe ?b ?s) (yields ?s ?c))
    :effect (and (not (ripe ?b ?s)) (bare ?b) (lies ?c ?p))))
