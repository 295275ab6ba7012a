; Grid: a robot walks over places, some of them locked, and carries one key at a time.
; A key is not exchanged for itself. A locked place is unlocked from a neighboring one, with a key of the shape of its lock, and stays open.
(define (domain grid)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types key place shape - object)
  (:predicates
    (arm-empty)
    (at ?k - key ?p - place)
    (at-robot ?p - place)
    (conn ?p - place ?q - place)
    (holding ?k - key)
    (key-shape ?k - key ?s - shape)
    (lock-shape ?p - place ?s - shape)
    (locked ?p - place)
    (open ?p - place))

  (:action move
    :parameters (?p - place ?q - place)
    :precondition (and (at-robot ?p) (conn ?p ?q) (open ?q))
    :effect (and (at-robot ?q) (not (at-robot ?p))))

  (:action unlock
    :parameters (?p - place ?q - place ?k - key ?s - shape)
    :precondition (and (at-robot ?p) (conn ?p ?q) (locked ?q) (lock-shape ?q ?s) (holding ?k) (key-shape ?k ?s))
    :effect (and (open ?q) (not (locked ?q))))

  (:action pickup
    :parameters (?p - place ?k - key)
    :precondition (and (at-robot ?p) (at ?k ?p) (arm-empty))
    :effect (and (holding ?k) (not (at ?k ?p)) (not (arm-empty))))

  (:action pickup-and-loose
    :parameters (?p - place ?new - key ?old - key)
    :precondition (and (at-robot ?p) (at ?new ?p) (holding ?old) (not (= ?new ?old)))
    :effect (and (holding ?new) (at ?old ?p) (not (holding ?old)) (not (at ?new ?p))))

  (:action putdown
    :parameters (?p - place ?k - key)
    :precondition (and (at-robot ?p) (holding ?k))
    :effect (and (at ?k ?p) (arm-empty) (not (holding ?k)))))
