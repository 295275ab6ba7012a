"""Rover-single: closures and plans are what exhaustive search says, on all maps of up to three waypoints.

By symmetry the rover starts at w0. The lander (wl) is off the map, so that it can be seen from any set of
waypoints; routes are one way each, so that rovers get stuck.
"""

import random
from collections import Counter
from dataclasses import replace
from itertools import chain, combinations, permutations, product

import pytest

from orrery.equivalence.keys import keys
from orrery.model import Atom, Problem, TypedName, literals
from orrery.planning.execution import check_plan
from tests.every_domain import entry
from tests.generators.brute_force import exact_goals

PLACE = entry("rover-single")
GENERATOR = PLACE.generator


def subsets(items):
    items_listed = list(items)
    return chain.from_iterable(combinations(items_listed, n) for n in range(len(items_listed) + 1))


def site(roads, sees, facts, places):
    """A problem without a goal: the rover at w0, the lander (wl) off the map, seen from some places."""
    init: set[Atom] = {("available",), ("channel_free",), ("at_rover", "w0"), ("at_lander", "wl"), *facts}
    init |= {(name, f"w{a}", f"w{b}") for name in ("can_traverse", "visible") for a, b in roads}
    init |= {("visible", f"w{a}", "wl") for a in sees}
    names = [("wl", "waypoint"), *((f"w{i}", "waypoint") for i in range(places))]
    names += [("o0", "objective"), ("o1", "objective"), ("m0", "mode"), ("c0", "camera")]
    objects = tuple(TypedName(name, (kind,)) for name, kind in names)
    return Problem("p", "rover-single", objects, frozenset(init), frozenset())


def maps(places):
    """Every set of one-way routes, with every set of waypoints that see the lander."""
    all_roads = list(permutations(range(places), 2))
    return product(subsets(all_roads), subsets(range(places)))


def views(objective, seen):
    return {("visible_from", f"o{objective}", f"w{i}") for i in seen} | {("supports", "c0", "m0")}


def sent(places, objectives):
    rocks = [("communicated_rock_data", f"w{i}") for i in range(places)]
    return [*rocks, *(("communicated_image_data", f"o{i}", "m0") for i in range(objectives))]


def ends(places):
    return [set(), *({("at_rover", f"w{i}")} for i in range(places))]


@pytest.mark.slow
@pytest.mark.parametrize("places", [1, 2])
def test_all_sets_of_facts_as_goals_on_every_map_of_one_and_two_waypoints(places):
    outcomes = Counter()
    image = [("have_image", "o0", "m0"), ("communicated_image_data", "o0", "m0")]
    rocks = [
        (fact, f"w{i}") for i in range(places) for fact in ("have_rock_analysis", "communicated_rock_data")
    ]
    positions = [("at_rover", f"w{i}") for i in range(places)]
    for (roads, sees), seen in product(maps(places), subsets(range(places))):
        start = site(roads, sees, {("at_rock_sample", f"w{places - 1}"), *views(0, seen)}, places)
        outcomes += exact_goals(PLACE, start, subsets([*image, *rocks, *positions]))
    assert min(outcomes[outcome] for outcome in ("solved", "unsolvable", "at_rover")) > 10**places


@pytest.mark.slow
@pytest.mark.parametrize("one_in", [5, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_goals_on_maps_of_three_waypoints(one_in):
    """A rock sample at w2, an objective in view of any set of waypoints: all sets of these, all ends."""
    outcomes, data = Counter(), [sent(3, 0)[2], *sent(0, 1)]
    all_sites = list(product(maps(3), subsets(range(3))))
    for (roads, sees), seen in random.Random(3).sample(all_sites, len(all_sites) // one_in):
        start = site(roads, sees, {("at_rock_sample", "w2"), *views(0, seen)}, 3)
        outcomes += exact_goals(
            PLACE, start, ({*facts, *end} for facts, end in product(subsets(data), ends(3)))
        )
    assert min(outcomes[outcome] for outcome in ("solved", "unsolvable", "at_rover")) > 1000 // one_in


def test_published_bug_forced_final_positions():
    """Down a line of one-way routes, only its end sees the lander: there the rover must stay."""
    start = site([(0, 1), (1, 2)], [2], {("at_soil_sample", "w1")}, 3)
    changed = replace(start, goal=literals([("communicated_soil_data", "w1")]))
    assert ("at_rover", "w2") in GENERATOR.close_goal(changed)
    stated = replace(changed, goal=changed.goal | literals([("at_rover", "w2")]))
    stuck = replace(changed, goal=changed.goal | literals([("at_rover", "w1")]))
    assert GENERATOR.close_goal(stated) == GENERATOR.close_goal(changed)
    assert GENERATOR.close_goal(stuck) is GENERATOR.plan(stuck) is None
    same = [keys(PLACE.domain, goal, rule=PLACE.closure_rule).strict for goal in (changed, stated, stuck)]
    assert same[0] == same[1] != same[2]


def test_many_forking_ways_end_in_no_answer_not_in_a_hang():
    """Twenty forks, at each another objective left or right, and one objective that is at no way's end."""
    forks = 20
    stops = [(3 * i, 3 * i + side) for i in range(forks) for side in (1, 2)]
    roads = [*stops, *((side, 3 * i + 3) for i, (_, side) in ((s[0] // 3, s) for s in stops))]
    seen = {("visible_from", f"o{side}", f"w{side}") for _, side in stops}
    start = site(roads, [3 * forks], {*seen, ("supports", "c0", "m0")}, 3 * forks + 1)
    wanted = {("communicated_image_data", f"o{side}", "m0") for _, side in stops}
    changed = replace(start, goal=literals(wanted))
    assert GENERATOR.close_goal(changed) is GENERATOR.plan(changed) is None
    easy = replace(start, goal=literals(sorted(wanted)[:1]))
    steps = GENERATOR.plan(easy)
    assert steps is not None
    assert check_plan(PLACE.domain, easy, steps).valid
