; Things are borrowed at a counter, where the one card there is stays in pledge until they are returned.
(define (domain borrowing)
  (:requirements :strips :typing)
  (:types place thing - object loan - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (counter ?p - place) (in-stock ?l - loan) (card-ready))

  (:action borrow
    :parameters (?l - loan ?p - place)
    :precondition (and (at ?p) (counter ?p) (in-stock ?l) (card-ready))
    :effect (and (not (in-stock ?l)) (not (card-ready)) (lies ?l ?p)))

  (:action return
    :parameters (?l - loan ?p - place)
    :precondition (and (at ?p) (counter ?p) (lies ?l ?p))
    :effect (and (not (lies ?l ?p)) (in-stock ?l) (card-ready))))
