; The agent drives along roads; each drive burns one level of fuel, which a pump refills.
(define (domain driving)
  (:requirements :strips :typing)
  (:types place fuelmark - object)
  (:predicates (at ?p - place) (road ?a ?b - place) (vehicle ?p - place) (aboard) (pump ?p - place)
    (fuel ?l - fuelmark) (fuel-step ?lower ?upper - fuelmark))

  (:action board
    :parameters (?p - place)
    :precondition (and (at ?p) (vehicle ?p))
    :effect (and (not (vehicle ?p)) (aboard)))

  (:action drive
    :parameters (?a ?b - place ?l ?m - fuelmark)
    :precondition (and (at ?a) (aboard) (road ?a ?b) (fuel ?l) (fuel-step ?m ?l))
    :effect (and (not (at ?a)) (at ?b) (not (fuel ?l)) (fuel ?m)))

  (:action park
    :parameters (?p - place)
    :precondition (and (at ?p) (aboard))
    :effect (and (not (aboard)) (vehicle ?p)))

  (:action refuel
    :parameters (?p - place ?m ?l - fuelmark)
    :precondition (and (at ?p) (vehicle ?p) (pump ?p) (fuel ?m) (fuel-step ?m ?l))
    :effect (and (not (fuel ?m)) (fuel ?l))))
