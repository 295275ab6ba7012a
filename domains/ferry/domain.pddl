; Ferry: a boat carries one car at a time between locations, along passages from one to another.
(define (domain ferry)
  (:requirements :strips :typing)
  (:types car location - object)
  (:predicates
    (at ?c - car ?l - location)
    (at-ferry ?l - location)
    (empty-ferry)
    (on ?c - car)
    (passage ?x - location ?y - location))

  (:action board
    :parameters (?c - car ?l - location)
    :precondition (and (at ?c ?l) (at-ferry ?l) (empty-ferry))
    :effect (and (on ?c) (not (at ?c ?l)) (not (empty-ferry))))

  (:action debark
    :parameters (?c - car ?l - location)
    :precondition (and (on ?c) (at-ferry ?l))
    :effect (and (at ?c ?l) (empty-ferry) (not (on ?c))))

  (:action sail
    :parameters (?f - location ?t - location)
    :precondition (and (passage ?f ?t) (at-ferry ?f))
    :effect (and (at-ferry ?t) (not (at-ferry ?f)))))
