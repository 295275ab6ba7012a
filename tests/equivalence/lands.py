"""Small domains of the tests' own: what the repository's domains do not have.

workshop: constants, subtypes, ``either``. slide: one-way moves, so that reachable states are not
symmetric and many are dead ends. switches: negative preconditions, a fact without arguments, a step that
cannot be undone. gears: facts of three arguments, static and changing. post: trucks and a plane.
"""

LANDS = {
    "workshop": """(define (domain workshop) (:requirements :strips :typing)
        (:types tool bench - object saw hammer - tool unused - object)
        (:constants vice - bench)
        (:predicates (on ?t - tool ?b - bench) (held ?t - tool) (hand-free) (oiled ?x - (either saw bench)))
        (:action take :parameters (?t - tool ?b - bench) :precondition (and (on ?t ?b) (hand-free))
            :effect (and (held ?t) (not (on ?t ?b)) (not (hand-free))))
        (:action put :parameters (?t - tool ?b - bench) :precondition (held ?t)
            :effect (and (on ?t ?b) (hand-free) (not (held ?t))))
        (:action oil :parameters (?s - saw) :precondition (on ?s vice)
            :effect (and (oiled ?s) (oiled vice))))""",
    "slide": """(define (domain slide) (:requirements :strips :typing)
        (:types sled place) (:predicates (at ?s - sled ?p - place) (way ?p ?q - place) (warm ?s - sled))
        (:action go :parameters (?s - sled ?p - place ?q - place) :precondition (and (at ?s ?p) (way ?p ?q))
            :effect (and (at ?s ?q) (not (at ?s ?p)) (not (warm ?s)))))""",
    "switches": """(define (domain switches) (:requirements :strips :negative-preconditions)
        (:predicates (lit ?l) (locked) (next ?l ?m))
        (:action press :parameters (?l) :precondition (not (lit ?l)) :effect (lit ?l))
        (:action release :parameters (?l ?m)
            :precondition (and (lit ?l) (next ?l ?m) (not (lit ?m)) (not (locked))) :effect (not (lit ?l)))
        (:action lock :parameters (?l) :precondition (and (lit ?l) (not (locked))) :effect (locked)))""",
    "gears": """(define (domain gears) (:requirements :strips)
        (:predicates (gear ?a ?b ?c) (tie ?a ?b ?c) (worn ?a))
        (:action twist :parameters (?a ?b ?c) :precondition (and (gear ?a ?b ?c) (tie ?a ?b ?c))
            :effect (and (tie ?b ?c ?a) (not (tie ?a ?b ?c))))
        (:action swap :parameters (?a ?b ?c) :precondition (and (gear ?a ?b ?c) (tie ?c ?a ?b))
            :effect (and (tie ?b ?a ?c) (worn ?a) (not (tie ?c ?a ?b)))))""",
    "post": """(define (domain post) (:requirements :strips :typing)
        (:types parcel vehicle place - object truck plane - vehicle)
        (:predicates (at ?x - (either parcel vehicle) ?p - place) (in ?o - parcel ?v - vehicle)
            (road ?p ?q - place) (airport ?p - place))
        (:action drive :parameters (?t - truck ?p ?q - place) :precondition (and (at ?t ?p) (road ?p ?q))
            :effect (and (at ?t ?q) (not (at ?t ?p))))
        (:action fly :parameters (?f - plane ?p ?q - place)
            :precondition (and (at ?f ?p) (airport ?p) (airport ?q))
            :effect (and (at ?f ?q) (not (at ?f ?p))))
        (:action load :parameters (?o - parcel ?v - vehicle ?p - place)
            :precondition (and (at ?o ?p) (at ?v ?p))
            :effect (and (in ?o ?v) (not (at ?o ?p))))
        (:action unload :parameters (?o - parcel ?v - vehicle ?p - place)
            :precondition (and (in ?o ?v) (at ?v ?p)) :effect (and (at ?o ?p) (not (in ?o ?v)))))""",
}

# For each domain its small worlds: objects by type, the facts that never change, and a first state.
WORLDS = {
    "floor-tile": [
        (
            {"tile": "t u", "color": "k m", "robot": "r"},
            "right t u, available-color k, available-color m",
            "robot-at r t, robot-has r k",
        ),
        (
            {"tile": "t u", "color": "k", "robot": "r s"},
            "up t u, available-color k",
            "robot-at r t, robot-at s t, robot-has r k, robot-has s k",
        ),
        (
            {"tile": "t u", "color": "k m", "robot": "r s"},
            "up t u",
            "robot-at r t, robot-at s u, robot-has r k, robot-has s m",
        ),
    ],
    "rover-single": [
        (
            {"waypoint": "v w", "objective": "o", "camera": "c", "mode": "m"},
            "at_lander v, can_traverse v w, can_traverse w v, visible v w, visible w v, available,"
            "channel_free, at_rock_sample v, at_rock_sample w, visible_from o w, supports c m",
            "at_rover v",
        ),
        (
            {"waypoint": "v w x"},
            "at_lander x, can_traverse v w, can_traverse w v, visible v w, visible w v, visible v x,"
            "visible w x, available, channel_free, at_soil_sample v, at_soil_sample w",
            "at_rover v",
        ),
        (
            {"waypoint": "v w x"},
            "at_lander v, can_traverse v w, can_traverse v x, visible v w, visible v x, visible w v,"
            "visible x v, available, at_soil_sample w, at_rock_sample x",
            "at_rover v",
        ),
    ],
    "workshop": [
        (
            {"saw": "s t", "hammer": "h", "bench": "b", "unused": "x y"},
            "",
            "on s b, on t b, on h vice, hand-free",
        ),
        ({"saw": "s", "hammer": "h i", "bench": "b c"}, "", "held s, on h b, on i c"),
    ],
    "slide": [
        ({"sled": "s t", "place": "p q r"}, "way p q, way p r", "at s p, at t p, warm s"),
        ({"sled": "s t", "place": "p q r"}, "way p q, way q r, way r p", "at s p, at t q, warm s, warm t"),
        ({"sled": "s t", "place": "p q r u"}, "way p q, way q p, way r u", "at s p, at t r"),
        ({"sled": "s t", "place": "p q r u"}, "way p q, way q p, way r u, way u r", "at s p, at t r"),
    ],
    "switches": [
        ({"object": "l m n"}, "next l m, next m n, next n l", ""),
        ({"object": "l m n"}, "next l m, next m l", "lit n"),
        ({"object": "l m"}, "next l m, next m l", "lit l"),
    ],
    "gears": [
        ({"object": "a b c"}, "gear a b c, gear b c a, gear c a b", "tie a b c"),
        ({"object": "a b c"}, "gear a b c, gear b a c, gear c b a", "tie a b c, tie b a c"),
        ({"object": "a b c d"}, "gear a b c, gear b c d, gear c a b", "tie a b c, tie b c d"),
    ],
    "post": [
        (
            {"parcel": "o u", "truck": "t", "plane": "f", "place": "p q"},
            "airport p, airport q, road p q, road q p",
            "at o p, at u p, at t p, at f q",
        ),
        ({"parcel": "o u", "truck": "t w", "place": "p q"}, "road p q", "at o p, at u q, at t p, at w p"),
        (
            {"parcel": "o", "truck": "t w", "place": "p q r"},
            "road p q, road q p, road q r, road r q",
            "at o p, at t p, at w r",
        ),
    ],
}

# The same with more objects of a kind, for the slow tests.
