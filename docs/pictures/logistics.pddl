; The problem of docs/browse.md; its plan is logistics.plan.
(define (problem two-parcels)
  (:domain logistics)
  (:objects lyon oslo - city l1 o1 - location l2 o2 - airport t1 t2 - truck a1 - airplane p1 p2 - package)
  (:init (in-city l1 lyon) (in-city l2 lyon) (in-city o1 oslo) (in-city o2 oslo)
         (at t1 l2) (at t2 o2) (at a1 l2) (at p1 l1) (in p2 a1))
  (:goal (and (at p1 o2) (at p2 o1))))
