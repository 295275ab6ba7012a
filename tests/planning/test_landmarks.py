"""The landmarks of the delete relaxation against plain search: no plan avoids them."""

from hypothesis import given

from orrery.planning.landmarks import relaxed_landmarks
from orrery.planning.task import bits
from tests.effort import examples
from tests.planning.plain_search import is_landmark
from tests.planning.plain_search import landmarks as landmarks_by_search
from tests.planning.random_tasks import tasks, without_deletes


@examples(200)
@given(tasks())
def test_relaxed_landmarks_are_those_of_the_task_without_deletes_and_no_plan_avoids_them(task):
    relaxed, landmarks = without_deletes(task), relaxed_landmarks(task, task.init)
    assert landmarks == landmarks_by_search(relaxed) & ~task.init
    assert all(is_landmark(task, 1 << index) for index in bits(landmarks))
