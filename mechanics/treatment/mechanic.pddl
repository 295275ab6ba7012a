; A case that waits in one place is diagnosed, and then the right remedy, held in the hand, is applied.
(define (domain treatment)
  (:requirements :strips :typing)
  (:types place thing case - object remedy - thing)
  (:predicates (at ?p - place) (holds ?x - thing) (case-in ?c - case ?p - place) (helps ?r - remedy ?c - case)
    (unexamined ?c - case) (diagnosed ?c - case) (cured ?c - case))

  (:action diagnose
    :parameters (?c - case ?p - place)
    :precondition (and (at ?p) (case-in ?c ?p) (unexamined ?c))
    :effect (and (not (unexamined ?c)) (diagnosed ?c)))

  (:action treat
    :parameters (?c - case ?r - remedy ?p - place)
    :precondition (and (at ?p) (case-in ?c ?p) (diagnosed ?c) (helps ?r ?c) (holds ?r))
    :effect (and (not (diagnosed ?c)) (cured ?c))))
