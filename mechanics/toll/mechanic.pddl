; A coin is spent for a move; coins that have been spent are earned back by jobs.
(define (domain toll)
  (:requirements :strips :typing)
  (:types place coin - object)
  (:predicates (at ?p - place) (job ?p - place) (purse ?c - coin) (coin-gone ?c - coin))

  (:action earn
    :parameters (?c - coin ?p - place)
    :precondition (and (at ?p) (job ?p) (coin-gone ?c))
    :effect (and (not (coin-gone ?c)) (purse ?c))))
