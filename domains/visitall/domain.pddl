; Visit-all: a robot walks over connected places and leaves a mark on each that it enters.
(define (domain visitall)
  (:requirements :strips :typing)
  (:types place - object)
  (:predicates
    (at-robot ?p - place)
    (connected ?p - place ?q - place)
    (visited ?p - place))

  (:action move
    :parameters (?p - place ?q - place)
    :precondition (and (at-robot ?p) (connected ?p ?q))
    :effect (and (at-robot ?q) (visited ?q) (not (at-robot ?p)))))
