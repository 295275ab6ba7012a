; A permit for a place is issued at a bureau against an application form, which stays there.
(define (domain permits)
  (:requirements :strips :typing)
  (:types place thing - object form - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (bureau ?o - place) (covers ?f - form ?p - place)
    (permitted ?p - place))

  (:action issue
    :parameters (?f - form ?p ?o - place)
    :precondition (and (at ?o) (bureau ?o) (lies ?f ?o) (covers ?f ?p))
    :effect (and (not (lies ?f ?o)) (permitted ?p))))
