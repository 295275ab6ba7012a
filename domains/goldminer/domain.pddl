; Goldminer: a robot digs its way to gold with bombs, which open soft rock, and a laser, which destroys gold.
; Bombs come from a store that is never used up, and gold from a vein that stays where it is.
(define (domain goldminer)
  (:requirements :strips :typing)
  (:types loc - object)
  (:predicates
    (arm-empty)
    (bomb-at ?l - loc)
    (laser-at ?l - loc)
    (gold-at ?l - loc)
    (clear ?l - loc)
    (connected ?l - loc ?m - loc)
    (soft-rock-at ?l - loc)
    (hard-rock-at ?l - loc)
    (holds-bomb)
    (holds-laser)
    (holds-gold)
    (robot-at ?l - loc))

  (:action move
    :parameters (?l - loc ?m - loc)
    :precondition (and (robot-at ?l) (connected ?l ?m) (clear ?m))
    :effect (and (robot-at ?m) (not (robot-at ?l))))

  (:action pickup-bomb
    :parameters (?l - loc)
    :precondition (and (robot-at ?l) (bomb-at ?l) (arm-empty))
    :effect (and (holds-bomb) (not (arm-empty))))

  (:action pickup-laser
    :parameters (?l - loc)
    :precondition (and (robot-at ?l) (laser-at ?l) (arm-empty))
    :effect (and (holds-laser) (not (laser-at ?l)) (not (arm-empty))))

  (:action putdown-laser
    :parameters (?l - loc)
    :precondition (and (robot-at ?l) (holds-laser))
    :effect (and (laser-at ?l) (arm-empty) (not (holds-laser))))

  (:action detonate-bomb
    :parameters (?l - loc ?m - loc)
    :precondition (and (robot-at ?l) (holds-bomb) (connected ?l ?m) (soft-rock-at ?m))
    :effect (and (clear ?m) (arm-empty) (not (soft-rock-at ?m)) (not (holds-bomb))))

  (:action fire-laser
    :parameters (?l - loc ?m - loc)
    :precondition (and (robot-at ?l) (holds-laser) (connected ?l ?m))
    :effect (and (clear ?m) (not (soft-rock-at ?m)) (not (hard-rock-at ?m)) (not (gold-at ?m))))

  (:action pick-gold
    :parameters (?l - loc)
    :precondition (and (robot-at ?l) (gold-at ?l) (arm-empty))
    :effect (and (holds-gold) (not (arm-empty)))))
