"""Ferry: configurations, greedy plans, and the closure of goals against exhaustive search."""

import random
import re
from collections import Counter
from dataclasses import replace
from itertools import chain, combinations, product

import pytest

from orrery.language.words import names_by_type
from orrery.model import Problem, TypedName, literals
from tests.every_domain import entry
from tests.generators.brute_force import exact, explored, generate

PLACE = entry("ferry")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}


def standing(facts):
    """Cars per location."""
    return Counter(fact[2] for fact in facts if fact[0] == "at")


def rising(counts, locations):
    """Whether the counts, with those of empty locations, are each by one above the one before."""
    counts_padded = [0] * (locations - len(counts)) + counts
    return counts_padded == [*range(counts_padded[0], counts_padded[0] + locations)]


SHAPES = {
    **dict.fromkeys(
        ("one_location", "gather", "moored", "reunion"), lambda n, standing_counts, _: standing_counts == [n]
    ),
    **dict.fromkeys(("aboard", "at_sea"), lambda n, standing_counts, _: standing_counts == [n - 1]),
    **dict.fromkeys(
        ("two_groups", "exchange"),
        lambda n, standing_counts, _: len(standing_counts) == 2 and sum(standing_counts) == n,
    ),
    "evenly_spread": lambda n, standing_counts, locations: standing_counts == [n // locations] * locations,
    "vacant": lambda n, standing_counts, locations: (
        standing_counts == [n // (locations - 1)] * (locations - 1)
    ),
    "staircase": lambda n, standing_counts, locations: (
        sum(standing_counts) == n and rising(standing_counts, locations)
    ),
    "counted": lambda n, standing_counts, _: (
        sum(standing_counts) == n and standing_counts[-1] > standing_counts[-2]
    ),
}


@pytest.mark.parametrize("task", GENERATOR.TASKS[1:], ids=lambda task: task.name)
def test_configurations_are_what_they_are_named(task):
    for seed in range(10):
        parameters, generated = generate(PLACE, task, "medium", seed)
        problem, sizes = generated.problem, (parameters["cars"], parameters["locations"])
        for name, facts in ((task.init, problem.init), (task.goal, problem.goal_facts)):
            assert SHAPES[name](sizes[0], sorted(standing(facts).values()), sizes[1]), (name, facts)
            assert ("on" in {fact[0] for fact in facts}) == (name in ("aboard", "at_sea"))


def test_goals_that_speak_of_the_start_mean_it():
    for seed in range(10):
        generated_by_goal = {
            task.goal: generate(PLACE, task, "medium", seed)[1] for task in GENERATOR.TASKS if task.strict
        }
        ranked = standing(generated_by_goal["gather"].problem.init).most_common()
        stated = {place: n for place, n in generated_by_goal["gather"].init_parameters["counts"].items() if n}
        assert dict(ranked) == stated
        assert ranked[0][1] > ranked[1][1]
        assert set(standing(generated_by_goal["gather"].problem.goal_facts)) == {ranked[0][0]}
        init, goal = (
            generated_by_goal["exchange"].problem.init,
            generated_by_goal["exchange"].problem.goal_facts,
        )
        first, second = standing(init)
        assert standing(goal) == {first: standing(init)[second], second: standing(init)[first]}
        assert not goal & init
        init, goal = (
            generated_by_goal["reunion"].problem.init,
            generated_by_goal["reunion"].problem.goal_facts,
        )
        assert standing(goal).keys() == standing(init).keys()


def test_the_ferry_lies_where_it_is_said_to():
    for seed, task in product(range(10), GENERATOR.TASKS[1:]):
        problem = generate(PLACE, task, "medium", seed)[1].problem
        cars, ferry = standing(problem.init), next(f[1] for f in problem.init if f[0] == "at-ferry")
        if task.init in ("vacant", "at_sea"):
            assert ferry not in cars
        if task.init in ("aboard", "staircase"):
            assert cars[ferry] == max(cars.values())
        if task.goal == "moored":
            assert {("at-ferry", place) for place in standing(problem.goal_facts)} <= problem.goal_facts


@pytest.mark.parametrize(("locations", "cars", "bound"), [(2, 6, 200_000), (3, 5, 200_000)])
def test_medium_problems_have_as_many_states_as_the_formula_says(locations, cars, bound):
    problem = GENERATOR.build(
        TASK["random-to-random"], {"locations": locations, "cars": cars}, random.Random(0)
    ).problem
    count = len(explored(PLACE, problem))
    assert count == locations ** (cars + 1) + cars * locations**cars < bound


def test_the_closure_agrees_with_exhaustive_search_for_every_goal_at_a_single_location():
    cars, harbor = [("at", "c1", "l1"), ("at", "c2", "l1")], [("at-ferry", "l1"), ("empty-ferry",)]
    objects = (TypedName("c1", ("car",)), TypedName("c2", ("car",)), TypedName("l1", ("location",)))
    start = Problem("p", "ferry", objects, frozenset(cars + harbor), frozenset())
    atoms = [*cars, *harbor, ("on", "c1"), ("on", "c2")]
    goals = chain.from_iterable(combinations(atoms, size) for size in range(len(atoms) + 1))
    assert exact(PLACE, (replace(start, goal=literals(goal)) for goal in goals))["closed"] > 20


def told(task, level="medium"):
    """The initial state of some problems of a task in many wordings, each with the place of the ferry."""
    for seed in range(4):
        generated = generate(PLACE, TASK[task], level, seed)[1]
        names = names_by_type(generated.problem, PLACE.domain)
        for turn in range(32):
            passage = PLACE.words.passage("init", generated.task.init, generated.init_parameters, names, turn)
            yield generated.init_parameters, passage


def test_the_ferry_is_not_said_to_be_there_where_two_places_have_been_named():
    """As in: at location a there is no car, while two stand at each of the others. The ferry waits there."""
    task = next(name for name, other_task in TASK.items() if other_task.init == "vacant")
    for parameters, line in told(task):
        assert not re.search("there, empty|docked there|is there as well|that location|That is where", line)
        assert f"location {parameters['ferry']}" in line


def test_of_two_cars_the_one_that_is_left_is_the_other():
    task = next(name for name, other_task in TASK.items() if other_task.init == "at_sea")
    lines_told = {(p["cars"] == 2, line) for p, line in told(task) if " one is aboard the ferry" in line}
    assert lines_told
    for two, line in lines_told:
        assert ("the other one is aboard" if two else "the last one is aboard") in line
