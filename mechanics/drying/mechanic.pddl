; Cloths get soaked; hung on a rack and taken off it again, they are dry.
(define (domain drying)
  (:requirements :strips :typing)
  (:types place thing - object cloth - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (rack ?p - place) (rack-bare)
    (soaked ?c - cloth) (dried ?c - cloth) (hung ?c - cloth))

  (:action hang
    :parameters (?c - cloth ?p - place)
    :precondition (and (at ?p) (rack ?p) (rack-bare) (lies ?c ?p) (soaked ?c))
    :effect (and (not (lies ?c ?p)) (not (rack-bare)) (hung ?c)))

  (:action unhang
    :parameters (?c - cloth ?p - place)
    :precondition (and (at ?p) (rack ?p) (hung ?c) (soaked ?c))
    :effect (and (not (hung ?c)) (not (soaked ?c)) (rack-bare) (dried ?c) (lies ?c ?p))))
