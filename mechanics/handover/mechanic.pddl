; Persons wait in places for one kind of goods; who has been asked for their wish is given something of that kind.
(define (domain handover)
  (:requirements :strips :typing)
  (:types place thing client sort - object delivery - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (client-in ?c - client ?p - place)
    (of-sort ?d - delivery ?k - sort) (accepts ?c - client ?k - sort) (wish-known ?c - client)
    (served ?c - client))

  (:action inquire
    :parameters (?c - client ?p - place)
    :precondition (and (at ?p) (client-in ?c ?p))
    :effect (wish-known ?c))

  (:action present
    :parameters (?d - delivery ?k - sort ?c - client ?p - place)
    :precondition (and (at ?p) (client-in ?c ?p) (wish-known ?c) (lies ?d ?p) (of-sort ?d ?k) (accepts ?c ?k))
    :effect (and (not (lies ?d ?p)) (served ?c))))
