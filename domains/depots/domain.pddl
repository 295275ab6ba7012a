; Depots: hoists pile crates on pallets at depots and distributors, trucks take them from one place to another.
; A truck does not drive to where it is, and no crate stands on itself.
(define (domain depots)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types
    place locatable - object
    depot distributor - place
    truck hoist surface - locatable
    pallet crate - surface)
  (:predicates
    (at ?x - locatable ?p - place)
    (on ?c - crate ?s - surface)
    (in ?c - crate ?t - truck)
    (lifting ?h - hoist ?c - crate)
    (available ?h - hoist)
    (clear ?s - surface))          ; a crate could be put on it: not while it is lifted or in a truck

  (:action drive
    :parameters (?t - truck ?from ?to - place)
    :precondition (and (at ?t ?from) (not (= ?from ?to)))
    :effect (and (at ?t ?to) (not (at ?t ?from))))

  (:action lift
    :parameters (?h - hoist ?c - crate ?s - surface ?p - place)
    :precondition (and (at ?h ?p) (available ?h) (at ?c ?p) (on ?c ?s) (clear ?c) (not (= ?c ?s)))
    :effect (and (lifting ?h ?c) (clear ?s)
                 (not (at ?c ?p)) (not (on ?c ?s)) (not (clear ?c)) (not (available ?h))))

  (:action drop
    :parameters (?h - hoist ?c - crate ?s - surface ?p - place)
    :precondition (and (at ?h ?p) (at ?s ?p) (clear ?s) (lifting ?h ?c) (not (= ?c ?s)))
    :effect (and (available ?h) (at ?c ?p) (on ?c ?s) (clear ?c)
                 (not (lifting ?h ?c)) (not (clear ?s))))

  (:action load
    :parameters (?h - hoist ?c - crate ?t - truck ?p - place)
    :precondition (and (at ?h ?p) (at ?t ?p) (lifting ?h ?c))
    :effect (and (in ?c ?t) (available ?h) (not (lifting ?h ?c))))

  (:action unload
    :parameters (?h - hoist ?c - crate ?t - truck ?p - place)
    :precondition (and (at ?h ?p) (at ?t ?p) (available ?h) (in ?c ?t))
    :effect (and (lifting ?h ?c) (not (in ?c ?t)) (not (available ?h)))))
