; A hungry animal trusts who feeds it; it then comes along and stays wherever it is left.
(define (domain animals)
  (:requirements :strips :typing)
  (:types place thing animal - object fodder - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (stays ?n - animal ?p - place)
    (follows ?n - animal) (hungry ?n - animal) (trusting ?n - animal))

  (:action feed
    :parameters (?n - animal ?f - fodder ?p - place)
    :precondition (and (at ?p) (stays ?n ?p) (lies ?f ?p) (hungry ?n))
    :effect (and (not (lies ?f ?p)) (not (hungry ?n)) (trusting ?n)))

  (:action rouse
    :parameters (?n - animal ?p - place)
    :precondition (and (at ?p) (stays ?n ?p) (trusting ?n))
    :effect (and (not (stays ?n ?p)) (follows ?n)))

  (:action tether
    :parameters (?n - animal ?p - place)
    :precondition (and (at ?p) (follows ?n))
    :effect (and (not (follows ?n)) (stays ?n ?p))))
