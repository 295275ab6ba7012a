; Logistics: trucks drive within their city, airplanes fly between airports, and both carry packages.
(define (domain logistics)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types
    city location thing - object
    airport - location
    package vehicle - thing
    truck airplane - vehicle)
  (:predicates
    (at ?x - thing ?l - location)
    (in ?p - package ?v - vehicle)
    (in-city ?l - location ?c - city))

  (:action load-truck
    :parameters (?p - package ?t - truck ?l - location)
    :precondition (and (at ?t ?l) (at ?p ?l))
    :effect (and (in ?p ?t) (not (at ?p ?l))))

  (:action load-airplane
    :parameters (?p - package ?a - airplane ?l - location)
    :precondition (and (at ?a ?l) (at ?p ?l))
    :effect (and (in ?p ?a) (not (at ?p ?l))))

  (:action unload-truck
    :parameters (?p - package ?t - truck ?l - location)
    :precondition (and (at ?t ?l) (in ?p ?t))
    :effect (and (at ?p ?l) (not (in ?p ?t))))

  (:action unload-airplane
    :parameters (?p - package ?a - airplane ?l - location)
    :precondition (and (at ?a ?l) (in ?p ?a))
    :effect (and (at ?p ?l) (not (in ?p ?a))))

  (:action drive-truck
    :parameters (?t - truck ?from - location ?to - location ?c - city)
    :precondition (and (not (= ?from ?to)) (at ?t ?from) (in-city ?from ?c) (in-city ?to ?c))
    :effect (and (at ?t ?to) (not (at ?t ?from))))

  (:action fly-airplane
    :parameters (?a - airplane ?from - airport ?to - airport)
    :precondition (and (not (= ?from ?to)) (at ?a ?from))
    :effect (and (at ?a ?to) (not (at ?a ?from)))))
