; Day and night alternate: a night has to be waited out, and work takes up the day.
(define (domain daytime)
  (:requirements :strips)
  (:predicates (day) (night))

  (:action wait
    :parameters ()
    :precondition (night)
    :effect (and (not (night)) (day))))
