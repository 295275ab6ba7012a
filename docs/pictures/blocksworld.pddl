; The problem of the README: its picture is docs/blocksworld.svg.
(define (problem stairs-to-towers)
  (:domain blocksworld)
  (:objects b1 b2 b3 b4 b5 b6 b7 b8 b9 b10)
  (:init (clear b1) (clear b2) (clear b5) (clear b8) (on b1 b10) (on b10 b6) (on b2 b3) (on b3 b9) (on b5 b4) (on b6 b7) (on-table b4) (on-table b7) (on-table b8) (on-table b9) (arm-empty))
  (:goal (and (clear b1) (clear b2) (clear b3) (clear b5) (clear b9) (on b1 b8) (on b2 b6) (on b3 b10) (on b5 b7) (on b9 b4) (on-table b10) (on-table b4) (on-table b6) (on-table b7) (on-table b8) (arm-empty))))
