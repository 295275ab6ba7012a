; A tender that has been appraised is bartered with a dealer for a good of the dealer.
(define (domain trade)
  (:requirements :strips :typing)
  (:types place thing dealer - object tender good - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (holds ?x - thing) (scales ?p - place)
    (dealer-in ?d - dealer ?p - place) (appraised ?o - tender) (offered ?g - good ?d - dealer))

  (:action appraise
    :parameters (?o - tender ?p - place)
    :precondition (and (at ?p) (scales ?p) (holds ?o))
    :effect (appraised ?o))

  (:action barter
    :parameters (?o - tender ?g - good ?d - dealer ?p - place)
    :precondition (and (at ?p) (dealer-in ?d ?p) (lies ?o ?p) (appraised ?o) (offered ?g ?d))
    :effect (and (not (lies ?o ?p)) (not (offered ?g ?d)) (lies ?g ?p))))
