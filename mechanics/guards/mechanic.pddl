; A guard watches one place; a bait lures the guard to another one, and the guard can be sent back to the post.
(define (domain guards)
  (:requirements :strips :typing)
  (:types place thing - object bait - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (guard ?p - place) (unwatched ?p - place)
    (post ?p - place))

  (:action lure
    :parameters (?l - bait ?a ?b - place)
    :precondition (and (at ?b) (lies ?l ?b) (guard ?a) (unwatched ?b))
    :effect (and (not (lies ?l ?b)) (not (guard ?a)) (unwatched ?a) (guard ?b) (not (unwatched ?b))))

  (:action dismiss
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (guard ?a) (post ?b) (unwatched ?b))
    :effect (and (not (guard ?a)) (unwatched ?a) (guard ?b) (not (unwatched ?b)))))
