"""A small typed domain, sound in every respect, to be broken by tests."""

LAMPS = """\
; Lamps in rooms.
(define (domain lamps)
  (:requirements :strips :typing :negative-preconditions :conditional-effects :action-costs)
  (:types lamp room - thing thing - object)
  (:constants hall - room)
  (:predicates (hangs-in ?l - lamp ?r - room) (lit ?l - lamp) (dark))
  (:functions (total-cost) - number)
  (:action switch-on
    :parameters (?l - lamp ?r - room)
    :precondition (and (hangs-in ?l ?r) (not (lit ?l)))
    :effect (and (lit ?l) (not (dark)) (increase (total-cost) 1)))
  (:action move
    :parameters (?l - lamp ?from ?to - room)
    :precondition (and (hangs-in ?l ?from) (dark))
    :effect (and (not (hangs-in ?l ?from)) (hangs-in ?l ?to) (when (lit ?l) (not (dark)))))
  (:action darken
    :parameters (?l - lamp)
    :precondition (hangs-in ?l hall)
    :effect (and (dark) (forall (?k - lamp) (not (lit ?k))))))
"""
