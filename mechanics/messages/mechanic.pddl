; A message is heard from a person who knows it and told to another one; one message is remembered at a time.
(define (domain messages)
  (:requirements :strips :typing)
  (:types place messenger news - object)
  (:predicates (at ?p - place) (messenger-in ?w - messenger ?p - place) (informed ?w - messenger ?n - news)
    (remembered ?n - news) (mind-free))

  (:action hear
    :parameters (?n - news ?w - messenger ?p - place)
    :precondition (and (at ?p) (messenger-in ?w ?p) (informed ?w ?n) (mind-free))
    :effect (and (not (mind-free)) (remembered ?n)))

  (:action tell
    :parameters (?n - news ?w - messenger ?p - place)
    :precondition (and (at ?p) (messenger-in ?w ?p) (remembered ?n))
    :effect (and (not (remembered ?n)) (mind-free) (informed ?w ?n))))
