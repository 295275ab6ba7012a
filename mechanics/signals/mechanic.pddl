; One flag at a time flies at the masts; a place can be entered while the flag flies that its gate answers to.
(define (domain signals)
  (:requirements :strips :typing)
  (:types place flag - object)
  (:predicates (at ?p - place) (mast ?p - place) (mast-bare) (flying ?f - flag) (answers ?p - place ?f - flag))

  (:action hoist
    :parameters (?f - flag ?p - place)
    :precondition (and (at ?p) (mast ?p) (mast-bare))
    :effect (and (not (mast-bare)) (flying ?f)))

  (:action strike
    :parameters (?f - flag ?p - place)
    :precondition (and (at ?p) (mast ?p) (flying ?f))
    :effect (and (not (flying ?f)) (mast-bare))))
