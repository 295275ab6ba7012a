; Every passage runs through a lock, which is opened and closed at its keyhole with a key that fits and is held.
(define (domain doors)
  (:requirements :strips :typing)
  (:types place thing lock - object key - thing)
  (:predicates (at ?p - place) (holds ?x - thing) (through ?a ?b - place ?l - lock) (keyhole ?l - lock ?p - place)
    (opened-by ?l - lock ?k - key) (lock-shut ?l - lock) (lock-open ?l - lock))

  (:action unlock
    :parameters (?k - key ?l - lock ?p - place)
    :precondition (and (at ?p) (keyhole ?l ?p) (holds ?k) (opened-by ?l ?k) (lock-shut ?l))
    :effect (and (not (lock-shut ?l)) (lock-open ?l)))

  (:action relock
    :parameters (?k - key ?l - lock ?p - place)
    :precondition (and (at ?p) (keyhole ?l ?p) (holds ?k) (opened-by ?l ?k) (lock-open ?l))
    :effect (and (not (lock-open ?l)) (lock-shut ?l))))
