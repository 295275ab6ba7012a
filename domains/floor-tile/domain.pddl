; Floor-tile as Planetarium simplifies it: robots paint tiles, nothing stands in their way.
; (up ?a ?b): tile ?a lies directly above tile ?b; (right ?a ?b): ?a lies directly to the right of ?b.
; Painting neither needs nor removes anything on the painted tile, so a tile may carry several colors.
(define (domain floor-tile)
  (:requirements :strips :typing)
  (:types tile robot color - object)
  (:predicates
    (robot-at ?r - robot ?t - tile)
    (robot-has ?r - robot ?c - color)
    (up ?a - tile ?b - tile)
    (right ?a - tile ?b - tile)
    (painted ?t - tile ?c - color)
    (available-color ?c - color))

  (:action change-color
    :parameters (?r - robot ?c - color ?c2 - color)
    :precondition (and (robot-has ?r ?c) (available-color ?c2))
    :effect (and (not (robot-has ?r ?c)) (robot-has ?r ?c2)))

  (:action paint-up
    :parameters (?r - robot ?y - tile ?x - tile ?c - color)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?x) (up ?y ?x))
    :effect (painted ?y ?c))

  (:action paint-down
    :parameters (?r - robot ?y - tile ?x - tile ?c - color)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?x) (up ?x ?y))
    :effect (painted ?y ?c))

  (:action paint-right
    :parameters (?r - robot ?y - tile ?x - tile ?c - color)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?x) (right ?y ?x))
    :effect (painted ?y ?c))

  (:action paint-left
    :parameters (?r - robot ?y - tile ?x - tile ?c - color)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?x) (right ?x ?y))
    :effect (painted ?y ?c))

  (:action up
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and (robot-at ?r ?x) (up ?y ?x))
    :effect (and (not (robot-at ?r ?x)) (robot-at ?r ?y)))

  (:action down
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and (robot-at ?r ?x) (up ?x ?y))
    :effect (and (not (robot-at ?r ?x)) (robot-at ?r ?y)))

  (:action right
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and (robot-at ?r ?x) (right ?y ?x))
    :effect (and (not (robot-at ?r ?x)) (robot-at ?r ?y)))

  (:action left
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and (robot-at ?r ?x) (right ?x ?y))
    :effect (and (not (robot-at ?r ?x)) (robot-at ?r ?y))))
