; Goods are packed in a crate, the crate is labelled, and the labelled crate is handed in at a ramp.
(define (domain shipping)
  (:requirements :strips :typing)
  (:types place thing - object goods crate - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (unfilled ?c - crate)
    (packed-in ?g - goods ?c - crate) (marker ?p - place) (labelled ?c - crate) (ramp ?p - place)
    (shipped ?g - goods))

  (:action encase
    :parameters (?g - goods ?c - crate ?p - place)
    :precondition (and (at ?p) (lies ?g ?p) (lies ?c ?p) (unfilled ?c))
    :effect (and (not (lies ?g ?p)) (not (unfilled ?c)) (packed-in ?g ?c)))

  (:action label
    :parameters (?g - goods ?c - crate ?p - place)
    :precondition (and (at ?p) (marker ?p) (lies ?c ?p) (packed-in ?g ?c))
    :effect (labelled ?c))

  (:action dispatch
    :parameters (?g - goods ?c - crate ?p - place)
    :precondition (and (at ?p) (ramp ?p) (lies ?c ?p) (packed-in ?g ?c) (labelled ?c))
    :effect (and (not (lies ?c ?p)) (shipped ?g))))
