; A generator is started for each job; a switchboard decides which place is fed.
(define (domain power)
  (:requirements :strips :typing)
  (:types place - object)
  (:predicates (at ?p - place) (generator ?p - place) (switchboard ?p - place) (fed ?p - place) (unfed ?p - place)
    (engine-runs) (engine-still))

  (:action crank
    :parameters (?p - place)
    :precondition (and (at ?p) (generator ?p) (engine-still))
    :effect (and (not (engine-still)) (engine-runs)))

  (:action divert
    :parameters (?p ?a ?b - place)
    :precondition (and (at ?p) (switchboard ?p) (engine-runs) (fed ?a) (unfed ?b))
    :effect (and (not (fed ?a)) (not (unfed ?b)) (unfed ?a) (fed ?b))))
