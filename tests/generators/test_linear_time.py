"""Plans and closures of the three published domains take time in proportion to the problem's size."""

import random

import pytest

from tests.effort import grows_linearly
from tests.every_domain import entry

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


@pytest.mark.by_day(2)
@pytest.mark.parametrize("name", ["blocksworld", "gripper", "floor-tile"])
@pytest.mark.parametrize("function", ["plan", "close_goal"])
def test_time_grows_in_proportion_to_the_size(name, function):
    assert grows_linearly(getattr(entry(name).generator, function), large(name, 3000), large(name, 12000))
