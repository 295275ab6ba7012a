"""The wide search of the checks against the plain one, on small random tasks."""

from dataclasses import replace

import pytest

from orrery.checks import breadth_first_search
from orrery.checks.breadth_first_search import explore, search_widely
from orrery.checks.compiled_query import Condition
from orrery.checks.reachability import ReachedSamples
from tests.planning.small_tasks import random_task

SEEDS = range(60)
MOST, TESTS = 10_000, 1_000_000


def apart(mask):
    """The same facts over three words: each bit 20 places from the one before."""
    return sum(1 << 20 * place for place in range(mask.bit_length()) if mask >> place & 1)


@pytest.mark.parametrize("together", [1, 5, 1_000])
@pytest.mark.parametrize("seed", SEEDS)
def test_it_finds_the_states_and_actions_of_the_plain_search_layer_by_layer_also_over_several_words(
    seed, together, monkeypatch
):
    monkeypatch.setattr(breadth_first_search, "TOGETHER", together)
    task = random_task(seed)
    whole = explore(task).search
    for spread in (int, apart):
        actions = [action._replace(**_spread(action, spread)) for action in task.actions]
        groups = list(search_widely(spread(task.init), actions, MOST, TESTS))
        states = [state for group in groups for state in group.states]
        assert len(states) == len(set(states))
        depth_of = dict(zip(map(spread, whole.states), whole.depths, strict=True))
        assert [depth_of[state] for state in states] == whole.depths
        assert {action for group in groups for action in group.applied} == set(whole.actions)


def _spread(action, spread):
    return {name: spread(getattr(action, name)) for name in ("positive", "negative", "add", "delete")}


@pytest.mark.parametrize("seed", SEEDS)
def test_limits_leave_some_of_the_states(seed, monkeypatch):
    monkeypatch.setattr(breadth_first_search, "TOGETHER", 2)
    task = random_task(seed)
    whole = explore(task)
    for most, tests in ((3, TESTS), (MOST, 2 * len(task.actions))):
        groups = list(search_widely(task.init, task.actions, most, tests))
        states = [state for group in groups for state in group.states]
        assert set(states) <= set(whole.states)
        assert len(states) <= most + 2 * len(task.actions)
        assert len(states) == whole.size or len(states) > most or tests < TESTS
    first = {whole.states[target] for source, _, target in whole.transitions() if source == 0}
    only_one = [group.states for group in search_widely(task.init, task.actions, MOST, 0)]
    assert {state for states in only_one for state in states} == {task.init, *first}


def test_an_action_that_contradicts_itself_is_never_applied():
    task = next(task for task in map(random_task, SEEDS) if task.actions)
    never = task.actions[0]._replace(positive=1, negative=1)
    assert [group.states for group in search_widely(task.init, [never], MOST, TESTS)] == [[task.init], []]


def test_samples_widen_until_a_condition_is_met_and_go_on_from_there(monkeypatch):
    monkeypatch.setattr(breadth_first_search, "TOGETHER", 1)
    task = next(task for task in map(random_task, SEEDS) if explore(task).size > 20)
    every_fact = (1 << len(task.facts)) - 1
    exactly = [Condition(state, ~state & every_fact) for state in explore(task).states]
    samples = ReachedSamples(task, explore(task, 1))
    assert samples.widen(exactly[8])
    assert not samples.satisfy(exactly[-1]), "the search stops where it finds the state"
    assert samples.widen(exactly[-1])
    assert all(map(samples.satisfy, exactly[:-1]))
    assert not samples.widen(Condition(1, 1))


def test_an_inert_task_has_one_state():
    task = replace(random_task(0), actions=())
    assert [group.states for group in search_widely(task.init, (), MOST, TESTS)] == [[task.init], []]
