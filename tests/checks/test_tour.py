"""Tours past conditions: what they meet is reached, and in small tasks they meet nearly all that is."""

from functools import cache

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.tour import tour
from orrery.planners import exhaustive_python as plain
from orrery.semantics.grounding import ground
from tests.every_domain import CATALOG, easy_problems, entry

LARGE = 2_000  # states of a task that is decided by definition here


@cache
def small():
    """Tasks of few states, of every domain that has some."""
    names = [name for name in CATALOG.names if entry(name).tasks]
    tasks = [ground(entry(name).domain, problem) for name in names for problem in easy_problems(name, 3)]
    return [task for task in tasks if plain.reachable(task, limit=LARGE).complete]


def test_what_a_tour_meets_is_reached_and_holds_in_a_state_of_it():
    met, possible = 0, 0
    for task in small():
        reached, asked = plain.reachable(task).states, list(dict.fromkeys(map(needs, task.actions)))
        found = tour(task, asked)
        assert set(found.states) <= set(reached)
        assert all(any(map(each.met, found.states)) for each in found.met)
        assert set(found.met) == {each for each in asked if any(map(each.met, found.states))}
        met += len(found.met)
        possible += sum(any(map(each.met, reached)) for each in asked)
    assert met > 0.95 * possible > 100


def test_a_tour_meets_no_condition_that_forbids_what_it_wants_or_is_never_so():
    for task in small():
        never = [Condition(1, 1), Condition((1 << len(task.facts)) - 1, 0), Condition(0, task.init)]
        reached = plain.reachable(task).states
        assert set(tour(task, never).met) <= {each for each in never if any(map(each.met, reached))}


def test_without_work_nothing_is_visited_but_the_initial_state():
    task = small()[0]
    assert tour(task, list(map(needs, task.actions)), work=0).states == [task.init]
    assert tour(task, []).states == [task.init]
