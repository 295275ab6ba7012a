; Grippers: robots with grippers of their own carry balls between rooms that are all connected.
(define (domain grippers)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types ball gripper robot room - object)
  (:predicates
    (at ?b - ball ?x - room)
    (at-robby ?r - robot ?x - room)
    (carry ?r - robot ?b - ball ?g - gripper)
    (free ?r - robot ?g - gripper))       ; ?g is a gripper of ?r, and holds nothing

  (:action move
    :parameters (?r - robot ?from - room ?to - room)
    :precondition (and (not (= ?from ?to)) (at-robby ?r ?from))
    :effect (and (at-robby ?r ?to) (not (at-robby ?r ?from))))

  (:action pick
    :parameters (?r - robot ?b - ball ?x - room ?g - gripper)
    :precondition (and (at ?b ?x) (at-robby ?r ?x) (free ?r ?g))
    :effect (and (carry ?r ?b ?g) (not (at ?b ?x)) (not (free ?r ?g))))

  (:action drop
    :parameters (?r - robot ?b - ball ?x - room ?g - gripper)
    :precondition (and (carry ?r ?b ?g) (at-robby ?r ?x))
    :effect (and (at ?b ?x) (free ?r ?g) (not (carry ?r ?b ?g)))))
