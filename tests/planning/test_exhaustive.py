from functools import reduce
from operator import or_

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import Proof
from orrery.planning import exhaustive_python as twin
from orrery.planning.exhaustive import StateSpace, explore
from orrery.planning.outcome import SpaceTooLarge
from orrery.planning.task import applicable, is_plan, progress, run
from tests.effort import examples
from tests.planning import plain_search
from tests.planning.random_tasks import task_of, tasks

any_tasks = st.one_of(
    tasks(),
    tasks(facts=5, stride=16),
    tasks(facts=5, stride=40),
    tasks(facts=5, stride=90),
    tasks(facts=4, actions=150),
)
thorough = examples(100)
LIMITS = st.sampled_from([1, 2, 3, 10, 1000])


def masks_of(space):
    return [space.mask(index) for index in range(len(space))]


def chain(length):
    """A task with one state after the other: fact i gives way to fact i + 1."""
    steps = [(1 << i, 0, 1 << i + 1, 1 << i) for i in range(length - 1)]
    return task_of(length, steps, 1, 1 << length - 1)


@thorough
@given(any_tasks, LIMITS)
def test_same_states_in_the_same_order_as_the_twin(task, limit):
    space, reached = explore(task, limit=limit), twin.reachable(task, limit=limit)
    assert masks_of(space) == reached.states
    assert space.depth.tolist() == list(reached.depth.values())
    assert space.complete == reached.complete
    assert len(space) <= limit


@thorough
@given(any_tasks, LIMITS, st.data())
def test_the_twin_serves_in_the_place_of_the_compiled_search(task, limit, data):
    masks = st.integers(0, (1 << len(task.facts)) - 1)
    positive, negative, state = (data.draw(masks) for _ in range(3))
    compiled, plain = explore(task, limit=limit), twin.reachable(task, limit=limit)
    assert (plain.task, plain.limit) == (compiled.task, compiled.limit)
    assert plain.proven_plan() == compiled.proven_plan()
    assert plain.intersection(positive, negative) == compiled.intersection(positive, negative)
    assert plain.goal_intersection() == compiled.goal_intersection()
    assert [*map(plain.facts_together_with, range(len(task.facts)))] == [
        *map(compiled.facts_together_with, range(len(task.facts)))
    ]
    assert (state in plain) == (state in compiled)
    assert all(state in compiled for state in plain.states)


@given(any_tasks)
def test_without_numba_the_twin_is_asked(task):
    assert isinstance(twin.explore(task), StateSpace)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(twin, "compiled", lambda: False)
        assert isinstance(twin.explore(task), twin.Reached)


@thorough
@given(any_tasks)
def test_distances_to_the_goal(task):
    space, distances = explore(task), plain_search.goal_distances(task)
    assert space.h_star().tolist() == [distances.get(mask, -1) for mask in masks_of(space)]
    assert space.goal.tolist() == [task.is_goal(mask) for mask in masks_of(space)]


@thorough
@given(any_tasks)
def test_optimal_plans_are_plans_of_the_optimal_length(task):
    plan, cost = explore(task).optimal_plan(), plain_search.optimal_cost(task)
    if cost is None:
        assert plan is None
    else:
        assert is_plan(task, plan)
        assert len(plan) == cost


@thorough
@given(any_tasks)
def test_landmarks_are_the_facts_without_which_no_goal_state_is_reached(task):
    assert explore(task).landmarks() == plain_search.landmarks(task)


@thorough
@given(any_tasks)
def test_every_state_has_its_shortest_path_and_its_index(task):
    space = explore(task)
    for index in range(len(space)):
        masks = run(task, space.plan_to(index))
        assert masks[-1] == space.mask(index)
        assert len(masks) == space.depth[index] + 1
        assert space.index_of(masks[-1]) == index


@given(any_tasks, st.integers(0, 2**8 - 1))
def test_a_state_that_is_not_reached_has_no_index(task, mask):
    space = explore(task)
    assert (space.index_of(mask) >= 0) == (mask in masks_of(space))
    assert space.index_of(1 << 4096) == -1


@thorough
@given(any_tasks)
def test_edges_are_the_applicable_actions(task):
    space = explore(task)
    offsets, successors, actions = space.edges
    for index, mask in enumerate(masks_of(space)):
        row = slice(offsets[index], offsets[index + 1])
        expected = [
            (space.index_of(progress(mask, a)), task.actions.index(a)) for a in applicable(task, mask)
        ]
        assert list(zip(successors[row].tolist(), actions[row].tolist(), strict=True)) == expected


@thorough
@given(any_tasks, LIMITS)
def test_an_unfinished_space_shows_the_first_steps_of_shortest_plans_or_none(task, limit):
    space, whole = explore(task, limit=limit), explore(task)
    distances, h_star = space.nearest_distances(), whole.h_star()
    if distances is not None:
        assert distances[0] == h_star[0]
        assert space.first_actions() == whole.first_actions()


@thorough
@given(any_tasks)
def test_summaries_over_states(task):
    space = explore(task)
    reached = masks_of(space)
    assert space.reached_facts() == reduce(or_, reached)
    for action, index in zip(task.actions, space.applied_at, strict=True):
        states = [i for i, mask in enumerate(reached) if action in applicable(task, mask)]
        assert index == (states[0] if states else -1)
    assert space.applied_steps() == {a.step for mask in reached for a in applicable(task, mask)}


@pytest.mark.parametrize("length", [1, 63, 64, 65, 129, 700])
def test_wide_tasks(length):
    space = explore(chain(length))
    assert masks_of(space) == [1 << i for i in range(length)]
    assert space.h_star().tolist() == list(range(length - 1, -1, -1))
    assert space.landmarks() == (1 << length) - 1


def test_a_counter_that_grows_every_array_many_times():
    size = 14
    increments = [((1 << i) - 1, 1 << i, 1 << i, (1 << i) - 1) for i in range(size)]
    task = task_of(size, increments, 0, (1 << size) - 1)
    space = explore(task)
    assert masks_of(space) == list(range(2**size))
    assert len(space.optimal_plan()) == space.h_star()[0] == 2**size - 1
    assert all(space.index_of(mask) == mask for mask in range(2**size))


def counter_entered_at_both_ends(size):
    """Numbers that count up and down; a start leads to the greatest, and over a mark to 0, which is the goal.

    The number 0 is reached early with the mark and late without it.
    """
    greatest, start, mark = (1 << size) - 1, 1 << size, 1 << size + 1
    outside = start | mark
    entries = [(start, 0, mark, start), (mark, 0, 0, mark), (start, 0, greatest, start)]
    ups = [((1 << i) - 1, 1 << i | outside, 1 << i, (1 << i) - 1) for i in range(size)]
    downs = [(1 << i, (1 << i) - 1 | outside, (1 << i) - 1, 1 << i) for i in range(size)]
    return task_of(size + 2, [*entries, *ups, *downs], start, 0, greatest | outside)


@pytest.mark.slow
def test_distances_and_landmarks_travel_far_against_the_order_of_states():
    """Sweeps over all edges, as many as the path is long, take minutes."""
    size = 17
    space = explore(counter_entered_at_both_ends(size))
    assert len(space) == 2**size + 2
    special = {1 << size: 2, 1 << size + 1: 1}
    assert space.h_star().tolist() == [special.get(mask, mask) for mask in masks_of(space)]
    assert space.landmarks() == 1 << size


def test_questions_on_the_whole_space_are_refused_where_the_limit_cut_in():
    space = explore(chain(9), limit=4)
    for question in (space.h_star, space.landmarks):
        with pytest.raises(SpaceTooLarge, match="more than 4 reachable states"):
            question()
    with pytest.raises(SpaceTooLarge):
        plain_search.optimal_cost(chain(9), limit=4)


def test_a_plan_found_within_the_limit_is_proven_optimal():
    task = task_of(9, [(1 << i, 0, 1 << i + 1, 1 << i) for i in range(8)], 1, 1 << 2)
    space = explore(task, limit=4)
    assert not space.complete
    assert space.proven_plan().steps == (("a000",), ("a001",))
    assert space.proven_plan().optimal is Proof.EXHAUSTION


def test_contradictory_goals_have_no_goal_state():
    assert not explore(task_of(1, [], 1, 1, 1)).goal.any()


@pytest.mark.parametrize("limit", [0, -1, 2**40])
def test_senseless_limits_are_refused(limit):
    with pytest.raises(ValueError, match="limit"):
        explore(chain(2), limit=limit)
