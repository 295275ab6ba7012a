"""The landmarks of the delete relaxation against plain search: no plan avoids them."""

from hypothesis import given

from orrery.planning.landmarks import relaxed_landmarks
from orrery.planning.task import bits
from tests.effort import examples
from tests.planning.plain_search import avoiding, is_landmark, optimal_cost
from tests.planning.plain_search import landmarks as landmarks_by_search
from tests.planning.random_tasks import task_of, tasks, without_deletes


@examples(200)
@given(tasks())
def test_relaxed_landmarks_are_those_of_the_task_without_deletes_and_no_plan_avoids_them(task):
    relaxed, landmarks = without_deletes(task), relaxed_landmarks(task, task.init)
    assert landmarks == landmarks_by_search(relaxed) & ~task.init
    assert all(is_landmark(task, 1 << index) for index in bits(landmarks))


def test_the_landmark_test_removes_every_achiever():
    """Two ways to the key; the door is beyond it whichever is taken."""
    task = task_of(4, [(1, 0, 2, 0), (1, 0, 2, 1), (2, 0, 4, 0)], 1, 4)
    assert relaxed_landmarks(task, task.init) == 0b0110
    assert optimal_cost(avoiding(task, 0b0010)) is None


def test_a_side_effect_makes_an_achiever_too():
    """The only way to the goal also makes another fact true, so that fact is a landmark."""
    task = task_of(3, [(1, 0, 0b110, 0)], 1, 0b100)
    assert relaxed_landmarks(task, task.init) == 0b110
