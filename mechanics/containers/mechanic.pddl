; Boxes stand in places; things go in and come out while the box is open.
(define (domain containers)
  (:requirements :strips :typing)
  (:types place thing box - object supply - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (box-in ?c - box ?p - place)
    (box-open ?c - box) (box-shut ?c - box) (inside ?x - thing ?c - box))

  (:action unfasten
    :parameters (?c - box ?p - place)
    :precondition (and (at ?p) (box-in ?c ?p) (box-shut ?c))
    :effect (and (not (box-shut ?c)) (box-open ?c)))

  (:action fasten
    :parameters (?c - box ?p - place)
    :precondition (and (at ?p) (box-in ?c ?p) (box-open ?c))
    :effect (and (not (box-open ?c)) (box-shut ?c)))

  (:action stow
    :parameters (?x - thing ?c - box ?p - place)
    :precondition (and (at ?p) (box-in ?c ?p) (box-open ?c) (lies ?x ?p))
    :effect (and (not (lies ?x ?p)) (inside ?x ?c)))

  (:action unpack
    :parameters (?x - thing ?c - box ?p - place)
    :precondition (and (at ?p) (box-in ?c ?p) (box-open ?c) (inside ?x ?c))
    :effect (and (not (inside ?x ?c)) (lies ?x ?p))))
