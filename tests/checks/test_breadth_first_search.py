"""The search of the checks against the definitions, on small random tasks."""

from dataclasses import replace

import pytest

from orrery.checks import breadth_first_search
from orrery.checks.breadth_first_search import explore, search_states
from tests.planning.plain_search import goal_distances, landmarks, optimal_cost
from tests.planning.small_tasks import random_task

SEEDS = range(60)


def successors(task, state):
    """The states after each applicable action, by its index."""
    return {
        index: state & ~action.delete | action.add
        for index, action in enumerate(task.actions)
        if state & action.positive == action.positive and not state & action.negative
    }


def layers(task):
    """The sets of states at each distance from the initial one."""
    seen, layer = {task.init}, {task.init}
    while layer:
        yield layer
        layer = {after for state in layer for after in successors(task, state).values()} - seen
        seen |= layer


@pytest.mark.parametrize("seed", SEEDS)
def test_a_whole_space_has_all_states_transitions_and_what_follows_from_them(seed):
    task = random_task(seed)
    graph, distances = explore(task), goal_distances(task)
    depths = {state: depth for depth, layer in enumerate(layers(task)) for state in layer}
    assert graph.complete
    assert dict(zip(graph.states, graph.search.depths, strict=True)) == depths
    assert {(graph.states[s], a, graph.states[t]) for s, a, t in graph.transitions()} == {
        (state, index, after) for state in depths for index, after in successors(task, state).items()
    }
    assert graph.cost == optimal_cost(task)
    assert graph.landmarks == landmarks(task)
    assert graph.costs_to_go == [distances.get(state) for state in graph.states]
    if graph.cost is not None:
        after_first = successors(task, task.init).items()
        assert graph.first_actions == {i for i, s in after_first if distances.get(s) == graph.cost - 1}
    if graph.cost:
        nearer = sum(depth < graph.cost for depth in graph.search.depths)
        assert explore(task, tests=(nearer - 1) * len(task.actions)).first_actions == graph.first_actions


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("most", [1, 3, 8])
def test_a_limit_leaves_a_beginning_of_the_space(seed, most):
    task = random_task(seed)
    part, whole = explore(task, most), explore(task)
    assert part.states == whole.states[: part.size]
    assert part.complete or part.size > most
    assert list(part.transitions()) == [
        step for step in whole.transitions() if step[0] < part.search.expanded
    ]
    if part.first_actions is not None:
        assert part.first_actions == whole.first_actions


def apart(mask):
    """The same facts over three words: each bit 20 places from the one before."""
    return sum(1 << 20 * place for place in range(mask.bit_length()) if mask >> place & 1)


@pytest.mark.parametrize("together", [1, 5])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_is_found_in_small_groups_and_over_several_words(seed, together, monkeypatch):
    task = random_task(seed)
    whole = explore(task).search
    monkeypatch.setattr(breadth_first_search, "TOGETHER", together)
    masks = ("positive", "negative", "add", "delete")
    for spread in (int, apart):
        actions = [
            action._replace(**{name: spread(getattr(action, name)) for name in masks})
            for action in task.actions
        ]
        search = search_states(spread(task.init), actions, 10_000, 1_000_000)
        assert search.complete
        assert search.states == list(map(spread, whole.states))
        assert search.depths == whole.depths
        assert set(search.actions) == set(whole.actions)


def test_an_inert_task_has_one_state():
    assert explore(replace(random_task(0), actions=())).size == 1


def test_an_action_that_contradicts_itself_is_never_applied():
    task = next(task for task in map(random_task, SEEDS) if task.actions)
    never = task.actions[0]._replace(positive=1, negative=1)
    assert explore(replace(task, actions=(never,))).size == 1


def test_searches_are_shared_by_goals_and_by_nothing_else():
    task = next(task for task in map(random_task, SEEDS) if task.actions and not explore(task, 1).complete)
    without_goal = replace(task, goal_positive=0, goal_negative=0)
    assert explore(without_goal).states is explore(task).states
    assert explore(without_goal).cost == 0
    for different in (replace(task, actions=task.actions[1:]), replace(task, init=explore(task).states[-1])):
        assert explore(different).states is not explore(task).states


def test_a_complete_search_is_reused_for_larger_limits_only():
    task = next(task for task in map(random_task, SEEDS) if 3 < explore(task).size < 100)
    task = replace(task, actions=task.actions[::-1])  # no search of it was made before
    part, whole = explore(task, 1), explore(task, 5_000)
    assert not part.complete
    assert whole.complete
    assert explore(task, 50_000).states is whole.states
    assert explore(task, 50_000, 2 * 5_000_000).states is whole.states
    assert not explore(task, 1).complete
    assert not explore(task, 2).complete
