"""Plans and closures of the three published domains take time in proportion to the problem's size."""

import random
import time

import pytest

from tests.every_domain import entry

SMALL, LARGE = 400, 1600
QUADRATIC = (LARGE / SMALL) ** 2
FLOOR = {"colors": 4, "robots": 3, "start": "corner", "held": "same"}


def large(name, n):
    """A problem with ``n`` blocks, balls or tiles."""
    tasks = {
        "blocksworld": ("stack", "stack", {"init": {"blocks": n}, "goal": {"blocks": n}}),
        "gripper": ("n_room_distributed", "holding", {
            "grippers": 4, "init": {"counts": [n // 20] * 20},
            "goal": {"held": 3, "counts": [n - 3] + [0] * 19},
        }),
        "floor-tile": ("grid", "checkerboard", FLOOR | {"rows": 20, "columns": n // 20}),
    }  # fmt: skip
    init, goal, parameters = tasks[name]
    place = entry(name)
    task = next(p for p in place.tasks if (p.init, p.goal) == (init, goal))
    return place.generator.build(task, parameters, random.Random(n)).problem


@pytest.mark.parametrize("name", ["blocksworld", "gripper", "floor-tile"])
@pytest.mark.parametrize("function", ["plan", "close_goal"])
def test_four_times_the_size_takes_far_less_than_sixteen_times_the_time(name, function):
    place, seconds = entry(name), {}
    called = getattr(place.generator, function)
    for n in (SMALL, LARGE):
        problem, runs = large(name, n), []
        for _ in range(5):
            start = time.process_time()
            plan_made = called(problem)
            runs.append(time.process_time() - start)
        seconds[n] = min(runs)
        assert plan_made
    assert seconds[LARGE] / seconds[SMALL] < 0.6 * QUADRATIC, seconds
