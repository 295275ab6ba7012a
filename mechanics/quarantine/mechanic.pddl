; An arrival rests in isolation for two watches before it is released; isolation has room for one.
(define (domain quarantine)
  (:requirements :strips :typing)
  (:types place thing - object arrival - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (isolation ?p - place) (isolation-vacant)
    (arrived ?n - arrival) (first-watch ?n - arrival) (second-watch ?n - arrival) (released ?n - arrival))

  (:action isolate
    :parameters (?n - arrival ?p - place)
    :precondition (and (at ?p) (isolation ?p) (lies ?n ?p) (arrived ?n) (isolation-vacant))
    :effect (and (not (arrived ?n)) (not (isolation-vacant)) (first-watch ?n)))

  (:action observe
    :parameters (?n - arrival ?p - place)
    :precondition (and (at ?p) (isolation ?p) (lies ?n ?p) (first-watch ?n))
    :effect (and (not (first-watch ?n)) (second-watch ?n)))

  (:action discharge
    :parameters (?n - arrival ?p - place)
    :precondition (and (at ?p) (isolation ?p) (lies ?n ?p) (second-watch ?n))
    :effect (and (not (second-watch ?n)) (isolation-vacant) (released ?n))))
