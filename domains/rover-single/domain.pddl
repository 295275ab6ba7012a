; One rover on a map of waypoints: it drives, analyses rock and soil, takes images, and sends its data to a lander.
; Names follow the rovers domain of the competitions; who has one rover needs neither rover objects nor stores.
; What the competition's communicate actions delete and add at once (the channel, the rover being available) is left alone.
(define (domain rover-single)
  (:requirements :strips :typing)
  (:types waypoint camera mode objective)
  (:predicates
    (at_rover ?w - waypoint)
    (at_lander ?w - waypoint)
    (can_traverse ?from ?to - waypoint)
    (visible ?from ?to - waypoint)                      ; ?to is seen from ?from
    (at_rock_sample ?w - waypoint)                      ; an analysis does not use the sample up
    (at_soil_sample ?w - waypoint)
    (visible_from ?o - objective ?w - waypoint)         ; ?o is seen from ?w
    (supports ?c - camera ?m - mode)
    (available)                                         ; the rover can drive and send
    (channel_free)
    (have_rock_analysis ?w - waypoint)
    (have_soil_analysis ?w - waypoint)
    (have_image ?o - objective ?m - mode)
    (communicated_rock_data ?w - waypoint)
    (communicated_soil_data ?w - waypoint)
    (communicated_image_data ?o - objective ?m - mode))

  (:action navigate
    :parameters (?from ?to - waypoint)
    :precondition (and (available) (at_rover ?from) (can_traverse ?from ?to) (visible ?from ?to))
    :effect (and (at_rover ?to)
                 (not (at_rover ?from))))

  (:action sample_rock
    :parameters (?w - waypoint)
    :precondition (and (at_rover ?w) (at_rock_sample ?w))
    :effect (have_rock_analysis ?w))

  (:action sample_soil
    :parameters (?w - waypoint)
    :precondition (and (at_rover ?w) (at_soil_sample ?w))
    :effect (have_soil_analysis ?w))

  (:action take_image
    :parameters (?w - waypoint ?o - objective ?c - camera ?m - mode)
    :precondition (and (at_rover ?w) (visible_from ?o ?w) (supports ?c ?m))
    :effect (have_image ?o ?m))

  (:action communicate_rock_data
    :parameters (?of ?from ?to - waypoint)
    :precondition (and (available) (channel_free) (at_rover ?from) (at_lander ?to)
                       (visible ?from ?to) (have_rock_analysis ?of))
    :effect (communicated_rock_data ?of))

  (:action communicate_soil_data
    :parameters (?of ?from ?to - waypoint)
    :precondition (and (available) (channel_free) (at_rover ?from) (at_lander ?to)
                       (visible ?from ?to) (have_soil_analysis ?of))
    :effect (communicated_soil_data ?of))

  (:action communicate_image_data
    :parameters (?o - objective ?m - mode ?from ?to - waypoint)
    :precondition (and (available) (channel_free) (at_rover ?from) (at_lander ?to)
                       (visible ?from ?to) (have_image ?o ?m))
    :effect (communicated_image_data ?o ?m)))
