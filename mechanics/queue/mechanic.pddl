; People wait in a line at a till and are served in their order with something that lies there.
(define (domain queue)
  (:requirements :strips :typing)
  (:types place thing customer - object utensil - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (till ?p - place) (ahead ?c ?d - customer)
    (front ?c - customer) (rearmost ?c - customer) (attended ?c - customer))

  (:action attend
    :parameters (?c ?d - customer ?u - utensil ?p - place)
    :precondition (and (at ?p) (till ?p) (lies ?u ?p) (front ?c) (ahead ?c ?d))
    :effect (and (not (front ?c)) (front ?d) (attended ?c)))

  (:action conclude
    :parameters (?c - customer ?u - utensil ?p - place)
    :precondition (and (at ?p) (till ?p) (lies ?u ?p) (front ?c) (rearmost ?c))
    :effect (and (not (front ?c)) (attended ?c))))
