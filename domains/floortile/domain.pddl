; Floortile: robots paint tiles above or below them; no robot can enter a tile that is painted or taken.
; (up ?x ?y): tile ?x lies directly above tile ?y; down, left and right likewise.
(define (domain floortile)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types color robot tile - object)
  (:predicates
    (available-color ?c - color)
    (clear ?x - tile)
    (painted ?x - tile ?c - color)
    (robot-at ?r - robot ?x - tile)
    (robot-has ?r - robot ?c - color)
    (up ?x - tile ?y - tile)
    (down ?x - tile ?y - tile)
    (left ?x - tile ?y - tile)
    (right ?x - tile ?y - tile))

  (:action change-color
    :parameters (?r - robot ?c - color ?c2 - color)
    :precondition (and (robot-has ?r ?c) (available-color ?c2) (not (= ?c ?c2)))
    :effect (and (robot-has ?r ?c2) (not (robot-has ?r ?c))))

  (:action paint-up
    :parameters (?r - robot ?y - tile ?x - tile ?c - color)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?x) (up ?y ?x) (clear ?y))
    :effect (and (painted ?y ?c) (not (clear ?y))))

  (:action paint-down
    :parameters (?r - robot ?y - tile ?x - tile ?c - color)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?x) (down ?y ?x) (clear ?y))
    :effect (and (painted ?y ?c) (not (clear ?y))))

  (:action up
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and (robot-at ?r ?x) (up ?y ?x) (clear ?y))
    :effect (and (robot-at ?r ?y) (clear ?x) (not (robot-at ?r ?x)) (not (clear ?y))))

  (:action down
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and (robot-at ?r ?x) (down ?y ?x) (clear ?y))
    :effect (and (robot-at ?r ?y) (clear ?x) (not (robot-at ?r ?x)) (not (clear ?y))))

  (:action left
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and (robot-at ?r ?x) (left ?y ?x) (clear ?y))
    :effect (and (robot-at ?r ?y) (clear ?x) (not (robot-at ?r ?x)) (not (clear ?y))))

  (:action right
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and (robot-at ?r ?x) (right ?y ?x) (clear ?y))
    :effect (and (robot-at ?r ?y) (clear ?x) (not (robot-at ?r ?x)) (not (clear ?y)))))
