; The agent walks within a floor and rides a lift between floors; the lift has to be called for every ride.
(define (domain lifts)
  (:requirements :strips :typing)
  (:types place floor - object)
  (:predicates (at ?p - place) (adjoins ?a ?b - place) (on-floor ?p - place ?f - floor) (lift ?f ?g - floor)
    (lift-waits ?f - floor) (lift-away))

  (:action stroll
    :parameters (?a ?b - place ?f - floor)
    :precondition (and (at ?a) (adjoins ?a ?b) (on-floor ?a ?f) (on-floor ?b ?f))
    :effect (and (not (at ?a)) (at ?b)))

  (:action call
    :parameters (?p - place ?f - floor)
    :precondition (and (at ?p) (on-floor ?p ?f) (lift-away))
    :effect (and (not (lift-away)) (lift-waits ?f)))

  (:action ride
    :parameters (?a ?b - place ?f ?g - floor)
    :precondition (and (at ?a) (adjoins ?a ?b) (on-floor ?a ?f) (on-floor ?b ?g) (lift ?f ?g) (lift-waits ?f))
    :effect (and (not (at ?a)) (at ?b) (not (lift-waits ?f)) (lift-away))))
