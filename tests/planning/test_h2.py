"""h2 against plain search: it may not see enough, but never too much."""

from hypothesis import given

from orrery.planning.exhaustive_python import reachable
from orrery.planning.h2 import pair_reachability
from orrery.planning.landmarks import relaxed_landmarks
from orrery.planning.task import bits, is_applicable, union
from tests.effort import examples
from tests.planning.plain_search import is_landmark
from tests.planning.random_tasks import task_of, tasks, without_deletes


@examples(200)
@given(tasks())
def test_h2_excludes_no_fact_pair_or_action_that_occurs(task):
    pairs = pair_reachability(task, task.init)
    states = reachable(task).states
    assert union(states) & ~pairs.facts == 0
    for state in states:
        for index in bits(state):
            assert state & ~pairs.together[index] == 0
        for action in task.actions:
            assert pairs.allows(action.positive) or not is_applicable(state, action)


@examples(100)
@given(tasks())
def test_h2_is_symmetric_and_no_weaker_than_the_relaxation(task):
    pairs = pair_reachability(task, task.init)
    assert pairs.facts & ~union(reachable(without_deletes(task)).states) == 0
    for index, mates in enumerate(pairs.together):
        assert all(pairs.together[mate] >> index & 1 for mate in bits(mates))


def test_h2_proves_what_the_relaxation_cannot():
    """One token on two places: the relaxation puts it on both."""
    task = task_of(3, [(1, 0, 2, 1), (3, 0, 4, 0)], 1, 4)
    assert union(reachable(without_deletes(task)).states) == 0b111
    pairs = pair_reachability(task, task.init)
    assert pairs.facts == 0b011
    assert not pairs.together[0] & 0b010
    assert not pairs.allows(task.actions[1].positive)


def h2_landmarks(task):
    """The facts without whose actions h2 excludes the goal."""
    masks = [1 << index for index in range(len(task.facts)) if not task.init >> index & 1]
    goal = task.goal_positive
    return [fact for fact in masks if not pair_reachability(task, task.init, fact).allows(goal)]


@examples(100)
@given(tasks())
def test_h2_proves_landmarks_and_only_those(task):
    assert all(is_landmark(task, fact) for fact in h2_landmarks(task))


def test_h2_sees_a_landmark_beyond_the_relaxation():
    """What is wanted last needs x and y together, and y costs x unless z is there."""
    x, y, z, last = 1, 2, 4, 8
    actions = [(x, 0, y, x), (x, 0, z, 0), (z, 0, y, 0), (x | y, 0, last, 0)]
    task = task_of(4, actions, x, last)
    assert relaxed_landmarks(task, task.init) & z == 0
    assert h2_landmarks(task) == [y, z, last]
