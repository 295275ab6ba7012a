"""States are sound: each object is in one place or condition, whichever domain it belongs to."""

from collections import Counter
from itertools import product

import pytest

from orrery.planning.exhaustive import explore
from orrery.planning.grounding import ground
from tests.every_domain import difficulties, entry
from tests.generators.brute_force import generate, some_states

MOST = 2_000  # states of a problem
# An object of a kind (a type, or a static predicate) is the argument "?" of exactly one fact of these in
# every state; without a kind there is exactly one such fact.
IN_STATES = {
    "alfworld": [
        ("agent", "robot-at ? _"), ("agent", "free-hand ?", "holding ? _"), ("item", "in ? _", "holding _ ?"),
        ("receptacle", "closed ?", "accessible ?"), ("food", "hot ?", "cool ?"),
        ("food", "whole ?", "sliced ?"), ("lamp", "dark ?", "lit ?"), ("task", "pending ?", "done ?"),
    ],
    "blocksworld": [
        ("object", "on-table ?", "on ? _", "holding ?"), ("object", "clear ?", "on _ ?", "holding ?"),
        ("", "arm-empty", "holding _"),
    ],
    "depots": [
        ("crate", "on ? _", "in ? _", "lifting _ ?"), ("crate", "at ? _", "in ? _", "lifting _ ?"),
        ("crate", "clear ?", "on _ ?", "in ? _", "lifting _ ?"), ("pallet", "clear ?", "on _ ?"),
        ("hoist", "available ?", "lifting ? _"), ("truck", "at ? _"),
    ],
    "ferry": [("car", "at ? _", "on ?"), ("", "at-ferry _"), ("", "empty-ferry", "on _")],
    "floor-tile": [("robot", "robot-at ? _"), ("robot", "robot-has ? _")],
    "floortile": [
        ("tile", "clear ?", "painted ? _", "robot-at _ ?"), ("robot", "robot-at ? _"),
        ("robot", "robot-has ? _"),
    ],
    "goldminer": [
        ("loc", "clear ?", "soft-rock-at ?", "hard-rock-at ?"), ("", "robot-at _"),
        ("", "arm-empty", "holds-bomb", "holds-laser", "holds-gold"),
    ],
    "grid": [
        ("place", "open ?", "locked ?"), ("key", "at ? _", "holding ?"), ("", "at-robot _"),
        ("", "arm-empty", "holding _"),
    ],
    "gripper": [
        ("ball", "at ? _", "carry ? _"), ("gripper", "free ?", "carry _ ?"), ("", "at-robby _"),
    ],
    "grippers": [("ball", "at ? _", "carry _ ? _"), ("robot", "at-robby ? _")],
    "logistics": [
        ("truck", "at ? _"), ("airplane", "at ? _"), ("package", "at ? _", "in ? _"),
    ],
    "rover-single": [("", "at_rover _"), ("", "at_lander _")],
    "rovers": [("rover", "at ? _"), ("store", "empty ?", "full ?"), ("lander", "at_lander ? _")],
    "satellite": [("satellite", "pointing ? _")],
    "visitall": [("", "at-robot _")],
}  # fmt: skip
AT_FIRST = {
    "alfworld": [
        ("fixture", "located ? _"), ("item", "item-of ? _"), ("receptacle", "receptacle-of ? _"),
        ("task", "asks-item ? _"), ("put-task", "asks-receptacle ? _"),
    ],
    "goldminer": [("", "bomb-at _"), ("", "laser-at _")],
    "grid": [("place", "open ?", "lock-shape ? _"), ("key", "key-shape ? _")],
    "logistics": [("location", "in-city ? _")],
    "rovers": [
        ("store", "store_of ? _"), ("rover", "store_of _ ?"), ("store", "empty ?"),
        ("camera", "on_board ? _"), ("camera", "calibration_target ? _"),
    ],
    "satellite": [("instrument", "on-board ? _")],
}  # fmt: skip
FOR_GOOD = {"alfworld": "done", "floortile": "painted", "goldminer": "holds-gold", "visitall": "visited"}


def members(domain, problem, kind):
    """The objects of a kind."""
    typed = [o.name for o in problem.objects if kind in domain.ancestors.get(o.types[0], o.types)]
    return typed or [fact[1] for fact in problem.init if fact[0] == kind] if kind else [""]


def objects_in(facts, patterns):
    """The objects at "?" in the facts of some patterns; "" where a pattern has none."""
    places = {
        name: (arguments.index("?") + 1 if "?" in arguments else 0)
        for name, *arguments in map(str.split, patterns)
    }
    return [fact[places[fact[0]]] if places[fact[0]] else "" for fact in facts if fact[0] in places]


def unsound(name, problem, facts, rules):
    """The rules of a domain that some facts of a problem break, with the objects that these count."""
    broken = []
    for kind, *patterns in rules:
        expected = members(entry(name).domain, problem, kind)
        counted = Counter(member for member in objects_in(facts, patterns) if member in expected)
        if counted != Counter(expected):
            broken.append((kind, patterns, counted))
    return broken


@pytest.mark.parametrize("name", IN_STATES)
def test_objects_are_in_one_place_and_condition(name):
    place = entry(name)
    for task, level, seed in product(place.tasks, difficulties(name), range(4)):
        problem = generate(place, task, level, seed)[1].problem
        assert unsound(name, problem, problem.init, IN_STATES[name] + AT_FIRST.get(name, [])) == []
    for task in place.tasks[:8]:
        problem = generate(place, task, difficulties(name)[0], 5)[1].problem
        for facts in some_states(explore(ground(place.domain, problem), limit=MOST), 29):
            static = {fact for fact in problem.init if fact[0] not in place.domain.fluents}
            assert unsound(name, problem, facts | static, IN_STATES[name]) == []


@pytest.mark.parametrize(("name", "predicate"), FOR_GOOD.items())
def test_what_is_done_stays_so(name, predicate):
    deleted = {atom[0] for action in entry(name).domain.actions for atom in action.delete}
    assert predicate in entry(name).domain.fluents - deleted
