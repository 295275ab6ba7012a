"""The delete relaxation and h2 against plain search: they may not see enough, but never too much."""

from hypothesis import given

from orrery.planning.exhaustive_python import reachable
from orrery.planning.relaxation import pair_reachability, relaxed_landmarks, relaxed_reachable
from orrery.planning.task import bits, is_applicable, union
from tests.effort import examples
from tests.planning.plain_search import avoiding, is_landmark, optimal_cost
from tests.planning.random_tasks import task_of, tasks


@examples(200)
@given(tasks())
def test_the_relaxation_reaches_whatever_is_reached(task):
    assert union(reachable(task).states) & ~relaxed_reachable(task, task.init) == 0


@examples(150)
@given(tasks())
def test_without_a_fact_it_reaches_whatever_is_reached_in_states_free_of_the_fact(task):
    for fact in (1 << index for index in range(len(task.facts))):
        if not task.init & fact:
            states = reachable(avoiding(task, fact)).states
            assert union(states) & ~relaxed_reachable(task, task.init, fact) == 0


@examples(200)
@given(tasks())
def test_no_plan_avoids_a_relaxed_landmark(task):
    landmarks = relaxed_landmarks(task, task.init)
    assert landmarks & task.init == 0
    for index in bits(landmarks):
        assert is_landmark(task, 1 << index)


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
            assert pairs.allows(action) or not is_applicable(state, action)


@examples(100)
@given(tasks())
def test_h2_is_symmetric_and_no_weaker_than_the_relaxation(task):
    pairs = pair_reachability(task, task.init)
    assert pairs.facts & ~relaxed_reachable(task, task.init) == 0
    for index, mates in enumerate(pairs.together):
        assert all(pairs.together[mate] >> index & 1 for mate in bits(mates))


def test_h2_proves_what_the_relaxation_cannot():
    """One token on two places: the relaxation puts it on both."""
    task = task_of(3, [(1, 0, 2, 1), (3, 0, 4, 0)], 1, 4)
    assert relaxed_reachable(task, task.init) == 0b111
    pairs = pair_reachability(task, task.init)
    assert pairs.facts == 0b011
    assert not pairs.together[0] & 0b010
    assert not pairs.allows(task.actions[1])


def test_the_landmark_test_removes_every_achiever():
    """Two ways to the key; the door is beyond it whichever is taken."""
    task = task_of(4, [(1, 0, 2, 0), (1, 0, 2, 1), (2, 0, 4, 0)], 1, 4)
    assert relaxed_landmarks(task, task.init) == 0b0110
    assert optimal_cost(avoiding(task, 0b0010)) is None


def test_a_side_effect_makes_an_achiever_too():
    """The only way to the goal also makes another fact true, so that fact is a landmark."""
    task = task_of(3, [(1, 0, 0b110, 0)], 1, 0b100)
    assert relaxed_landmarks(task, task.init) == 0b110
