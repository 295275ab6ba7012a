; Alfworld: a robot in a house fetches items, washes, heats, cools, slices and looks at them, and says when a task is done.
; An item is in one place: in (or on) a receptacle, or in the robot's hand. No action can be done where it would change nothing.
(define (domain alfworld)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types
    agent location fixture item item-type receptacle-type task - object
    receptacle lamp - fixture
    basin microwave fridge - receptacle
    food knife - item
    put-task light-task - task
    put-one put-two put-clean put-hot put-cool - put-task)
  (:predicates
    (robot-at ?a - agent ?l - location)
    (located ?f - fixture ?l - location)
    (receptacle-of ?r - receptacle ?t - receptacle-type)
    (item-of ?i - item ?t - item-type)
    (can-open ?r - receptacle)                  ; and be closed again
    (closed ?r - receptacle)
    (accessible ?r - receptacle)                ; opened, or of a kind without a door
    (in ?i - item ?r - receptacle)
    (portable ?i - item)
    (holding ?a - agent ?i - item)
    (free-hand ?a - agent)
    (dirty ?i - item)
    (clean ?i - item)
    (hot ?i - food)
    (cool ?i - food)
    (whole ?i - food)
    (sliced ?i - food)
    (dark ?p - lamp)
    (lit ?p - lamp)
    (asks-item ?k - task ?t - item-type)
    (asks-receptacle ?k - put-task ?t - receptacle-type)
    (pending ?k - task)
    (done ?k - task))

  (:action go-to
    :parameters (?a - agent ?from ?to - location)
    :precondition (and (robot-at ?a ?from) (not (= ?from ?to)))
    :effect (and (robot-at ?a ?to) (not (robot-at ?a ?from))))

  (:action open
    :parameters (?a - agent ?r - receptacle ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?r ?l) (can-open ?r) (closed ?r))
    :effect (and (accessible ?r) (not (closed ?r))))

  (:action close
    :parameters (?a - agent ?r - receptacle ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?r ?l) (can-open ?r) (accessible ?r))
    :effect (and (closed ?r) (not (accessible ?r))))

  (:action pick-up
    :parameters (?a - agent ?i - item ?r - receptacle ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?r ?l) (accessible ?r) (in ?i ?r) (portable ?i) (free-hand ?a))
    :effect (and (holding ?a ?i) (not (in ?i ?r)) (not (free-hand ?a))))

  (:action put
    :parameters (?a - agent ?i - item ?r - receptacle ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?r ?l) (accessible ?r) (holding ?a ?i))
    :effect (and (in ?i ?r) (free-hand ?a) (not (holding ?a ?i))))

  (:action wash
    :parameters (?a - agent ?i - item ?b - basin ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?b ?l) (holding ?a ?i) (dirty ?i))
    :effect (and (clean ?i) (not (dirty ?i))))

  (:action heat
    :parameters (?a - agent ?i - food ?m - microwave ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?m ?l) (accessible ?m) (holding ?a ?i) (cool ?i))
    :effect (and (hot ?i) (not (cool ?i))))

  (:action chill
    :parameters (?a - agent ?i - food ?c - fridge ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?c ?l) (accessible ?c) (holding ?a ?i) (hot ?i))
    :effect (and (cool ?i) (not (hot ?i))))

  (:action slice
    :parameters (?a - agent ?i - food ?n - knife ?r - receptacle ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?r ?l) (accessible ?r) (in ?i ?r) (holding ?a ?n) (whole ?i))
    :effect (and (sliced ?i) (not (whole ?i))))

  (:action switch-on
    :parameters (?a - agent ?p - lamp ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?p ?l) (dark ?p))
    :effect (and (lit ?p) (not (dark ?p))))

  (:action switch-off
    :parameters (?a - agent ?p - lamp ?l - location)
    :precondition (and (robot-at ?a ?l) (located ?p ?l) (lit ?p))
    :effect (and (dark ?p) (not (lit ?p))))

  (:action finish-one
    :parameters (?k - put-one ?i - item ?t - item-type ?r - receptacle ?u - receptacle-type)
    :precondition (and (pending ?k) (asks-item ?k ?t) (item-of ?i ?t) (asks-receptacle ?k ?u) (receptacle-of ?r ?u)
                       (in ?i ?r))
    :effect (and (done ?k) (not (pending ?k))))

  (:action finish-two
    :parameters (?k - put-two ?i ?j - item ?t - item-type ?r - receptacle ?u - receptacle-type)
    :precondition (and (pending ?k) (asks-item ?k ?t) (item-of ?i ?t) (item-of ?j ?t) (asks-receptacle ?k ?u)
                       (receptacle-of ?r ?u) (in ?i ?r) (in ?j ?r) (not (= ?i ?j)))
    :effect (and (done ?k) (not (pending ?k))))

  (:action finish-clean
    :parameters (?k - put-clean ?i - item ?t - item-type ?r - receptacle ?u - receptacle-type)
    :precondition (and (pending ?k) (asks-item ?k ?t) (item-of ?i ?t) (asks-receptacle ?k ?u) (receptacle-of ?r ?u)
                       (in ?i ?r) (clean ?i))
    :effect (and (done ?k) (not (pending ?k))))

  (:action finish-hot
    :parameters (?k - put-hot ?i - food ?t - item-type ?r - receptacle ?u - receptacle-type)
    :precondition (and (pending ?k) (asks-item ?k ?t) (item-of ?i ?t) (asks-receptacle ?k ?u) (receptacle-of ?r ?u)
                       (in ?i ?r) (hot ?i))
    :effect (and (done ?k) (not (pending ?k))))

  (:action finish-cool
    :parameters (?k - put-cool ?i - food ?t - item-type ?r - receptacle ?u - receptacle-type)
    :precondition (and (pending ?k) (asks-item ?k ?t) (item-of ?i ?t) (asks-receptacle ?k ?u) (receptacle-of ?r ?u)
                       (in ?i ?r) (cool ?i))
    :effect (and (done ?k) (not (pending ?k))))

  (:action examine
    :parameters (?k - light-task ?a - agent ?i - item ?t - item-type ?p - lamp ?l - location)
    :precondition (and (pending ?k) (asks-item ?k ?t) (item-of ?i ?t) (holding ?a ?i) (robot-at ?a ?l) (located ?p ?l) (lit ?p))
    :effect (and (done ?k) (not (pending ?k)))))
