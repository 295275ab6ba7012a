; A piece is primed and then painted at a booth, in the one colour that the brush there is charged with.
(define (domain painting)
  (:requirements :strips :typing)
  (:types place thing colour - object canvas - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (booth ?p - place) (brush ?c - colour)
    (piece-bare ?o - canvas) (piece-primed ?o - canvas) (painted ?o - canvas ?c - colour))

  (:action prime
    :parameters (?o - canvas ?p - place)
    :precondition (and (at ?p) (booth ?p) (lies ?o ?p) (piece-bare ?o))
    :effect (and (not (piece-bare ?o)) (piece-primed ?o)))

  (:action recharge
    :parameters (?c ?d - colour ?p - place)
    :precondition (and (at ?p) (booth ?p) (brush ?c))
    :effect (and (not (brush ?c)) (brush ?d)))

  (:action paint
    :parameters (?o - canvas ?c - colour ?p - place)
    :precondition (and (at ?p) (booth ?p) (lies ?o ?p) (piece-primed ?o) (brush ?c))
    :effect (and (not (piece-primed ?o)) (painted ?o ?c))))
