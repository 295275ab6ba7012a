"""Long problems: their bounds hold for every small problem, and each problem is in its band."""

from dataclasses import replace

import pytest

from orrery.checks.relaxation import landmark_bound as counted_again
from orrery.config import BANDS
from orrery.families.plans.space import space_of
from orrery.model import ParameterError
from orrery.planning.grounding import Grounder, ground
from orrery.planning.landmarks import landmark_bound
from orrery.planning.plans import Solver
from orrery.problems.candidates import OUT_OF_LIMITS, ladder_candidates
from orrery.problems.horizon import Horizon
from orrery.seeds import stream
from tests.effort import by_day, slow
from tests.every_domain import CATALOG, difficulties, entry

LADDERS = [name for name in CATALOG.names if entry(name).has_ladder]
SMALL = 5_000


def of_ladder(name, steps, number):
    return entry(name).ladder(steps, stream(3, name, steps, number))


def small_ones(name, count):
    """Small problems of every task of the domain, and short ones of its ladder."""
    place = entry(name)
    for number in range(count):
        yield of_ladder(name, 4 + number % 9, number)
        try:
            task = place.tasks[number % len(place.tasks)]
            yield place.make(task, difficulties(name)[0], stream(4, name, number)).problem
        except ParameterError:
            continue


def in_all(problem, place, most=SMALL):
    """The distances of all states of a problem from its goal; None where there are too many."""
    space = space_of(ground(place.domain, problem), most)
    if space is None:
        return None
    return space, space.distances(space.found.goal)


def test_there_are_eight_domains_with_long_problems():
    assert len(LADDERS) >= 8


@pytest.mark.parametrize("name", LADDERS)
@pytest.mark.parametrize(
    ("count", "states", "most"), [(6, 25, 500), pytest.param(60, 200, SMALL, marks=pytest.mark.exhaustive)]
)
def test_bounds_hold_for_small_problems(name, count, states, most):
    """The bounds of each state that a search visits are at most its distance from the goal."""
    place, compared = entry(name), 0
    for problem in small_ones(name, count):
        found = in_all(problem, place, most)
        if found is None:
            continue
        space, distances = found
        for state in range(0, len(space), max(1, len(space) // states)):
            if distances[state] < 0:
                continue
            there = state_of(problem, space, state)
            task = ground(place.domain, there)
            bounds = [landmark_bound(task), place.fewest_steps(there) or 0]
            assert max(bounds) <= distances[state], there
            assert counted_again(task) == bounds[0]
            compared += 1
    assert compared > 30


def state_of(problem, space, state):
    return replace(problem, init=space.task.state(space.found.mask(state)))


COUNTED = [name for name in LADDERS if entry(name).fewest_steps(of_ladder(name, 10, 0)) is not None]


@pytest.mark.parametrize("name", COUNTED)
def test_closed_forms_are_the_length_of_a_shortest_plan_of_most_short_problems(name):
    place, tight, total = entry(name), 0, 0
    for number in range(12):
        problem = of_ladder(name, 4 + number % 9, number)
        if found := in_all(problem, place, 3_000):
            tight += place.fewest_steps(problem) == found[1][0]
            total += 1
    assert total > 3
    assert tight > total / 2


@by_day(4)
@pytest.mark.parametrize("name", LADDERS)
@pytest.mark.parametrize("band", [10, 25, 50, 100])
def test_problems_are_in_their_bands(name, band):
    assert_in_band(name, band, 4)


def draws(name, steps):
    try:
        return bool(of_ladder(name, steps, 0))
    except ParameterError:
        return False


LONGEST = [(name, band) for name in LADDERS for band in BANDS if band > 100 and draws(name, band)]


@slow
@pytest.mark.parametrize(("name", "band"), LONGEST)
def test_very_long_problems_are_in_their_bands(name, band):
    assert_in_band(name, band, 1)


def assert_in_band(name, band, tries):
    """Most of some problems are in the band for which they were drawn."""
    place, within = entry(name), 0
    solver = Solver(Grounder(place.domain), place.planner)
    for number in range(tries):
        problem = of_ladder(name, band, number)
        plan = solver.find(problem).answer.plan
        lower = place.fewest_steps(problem)
        lower = landmark_bound(ground(place.domain, problem)) if lower is None else lower
        within += Horizon(lower, len(plan.steps), "", "").band == band
    assert within > tries / 2


def test_bands_that_would_be_too_large_are_rejected_and_counted():
    made = ladder_candidates(entry("blocksworld"), {25: 1, 250: 2}, 3)
    assert [candidate.reason for candidate in made] == ["", OUT_OF_LIMITS, OUT_OF_LIMITS]
    assert ladder_candidates(entry("swap"), {25: 1}, 3) == []


@pytest.mark.parametrize("name", LADDERS)
def test_a_problem_is_drawn_again_from_the_same_stream(name):
    assert of_ladder(name, 25, 0) == of_ladder(name, 25, 0)
    assert of_ladder(name, 25, 0) != of_ladder(name, 25, 1)


@pytest.mark.parametrize(
    ("lower", "upper", "band"),
    [
        (1, 10, 10),
        (11, 25, 25),
        (10, 11, None),
        (51, 100, 100),
        (50, 60, None),
        (501, 1000, 1000),
        (900, 1001, None),
    ],
)
def test_a_band_contains_both_bounds(lower, upper, band):
    assert Horizon(lower, upper, "", "").band == band
    assert band is None or band in BANDS
