; A blank is cut into two different parts at one station; at another one both parts are joined into a whole.
(define (domain joining)
  (:requirements :strips :typing)
  (:types place thing - object blank piece counterpart whole - thing)
  (:predicates (at ?p - place) (lies ?x - thing ?p - place) (cutter ?p - place) (bench ?p - place))

  (:action sever
    :parameters (?k - blank ?a - piece ?b - counterpart ?p - place)
    :precondition (and (at ?p) (cutter ?p) (lies ?k ?p))
    :effect (and (not (lies ?k ?p)) (lies ?a ?p) (lies ?b ?p)))

  (:action join
    :parameters (?a - piece ?b - counterpart ?w - whole ?p - place)
    :precondition (and (at ?p) (bench ?p) (lies ?a ?p) (lies ?b ?p))
    :effect (and (not (lies ?a ?p)) (not (lies ?b ?p)) (lies ?w ?p))))
