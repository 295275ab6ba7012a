"""The compiled relaxations against their plain twins, and walks against what is reachable."""

import pytest

from orrery.planning.exhaustive import Explorer
from orrery.planning.exhaustive_python import reachable
from orrery.planning.relaxation import pair_reachability, relaxed_landmarks
from orrery.planning.relaxed import Relaxation, Walker
from orrery.planning.task import is_applicable
from tests.planning.plain_search import is_landmark, optimal_cost
from tests.planning.random_tasks import masks_task, task_of
from tests.planning.small_tasks import object_task, random_task

TASKS = [*map(random_task, range(30)), *map(masks_task, range(30)), *map(object_task, range(15))]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.problem.name)
def test_landmarks_and_pairs_are_those_of_the_plain_twin(task):
    relaxation = Relaxation(Explorer(task))
    assert relaxation.landmarks(task.init) == relaxed_landmarks(task, task.init)
    assert relaxation.pairs == pair_reachability(task, task.init)


def test_h2_proves_landmarks_and_only_those():
    proven = 0
    for task in TASKS[:60]:
        relaxation = Relaxation(Explorer(task))
        for index in range(len(task.facts)):
            if not task.init >> index & 1 and optimal_cost(task) and relaxation.needs(index):
                proven += 1
                assert is_landmark(task, 1 << index)
    assert proven > 10


def test_h2_sees_a_landmark_beyond_the_relaxation():
    """What is wanted last needs x and y together, and y costs x unless z is there."""
    x, y, z, last = 1, 2, 4, 8
    actions = [(x, 0, y, x), (x, 0, z, 0), (z, 0, y, 0), (x | y, 0, last, 0)]
    task = task_of(4, actions, x, last)
    relaxation = Relaxation(Explorer(task))
    assert relaxation.landmarks(task.init) & z == 0
    assert [relaxation.needs(index) for index in range(4)] == [True, True, True, True]
    assert is_landmark(task, z)


@pytest.mark.parametrize("task", TASKS[:60], ids=lambda task: task.problem.name)
def test_walks_see_what_can_happen(task):
    seen, applied = Walker(Explorer(task), 30).walk(20)
    states, held = reachable(task).states, 0
    for state in states:
        held |= state
    assert seen & ~held == 0
    for action, yes in zip(task.actions, applied, strict=True):
        assert not yes or any(is_applicable(state, action) for state in states)


def test_walks_see_most_of_a_small_task():
    sizes = [(len(reachable(task).states), Walker(Explorer(task), 30).walk(20)[0]) for task in TASKS[:60]]
    assert any(size > 8 for size, _ in sizes)
    complete = 0
    for task in TASKS[:60]:
        held = 0
        for state in reachable(task).states:
            held |= state
        complete += Walker(Explorer(task), 30).walk(20)[0] == held
    assert complete > 40
