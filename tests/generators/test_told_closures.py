"""Closures that generators tell with their problems."""

import pytest

from orrery.model import ParameterError
from orrery.seeds import stream
from tests.effort import some
from tests.every_domain import entry

EACH = 12


@pytest.mark.parametrize("name", ["blocksworld", "gripper"])
def test_a_closure_that_the_construction_tells_is_that_of_the_rule(name):
    place = entry(name)
    for task in place.tasks:
        for difficulty in place.description.difficulties:
            for number in range(some(EACH)):
                try:
                    generated = place.make(task, difficulty, stream(7, task.name, difficulty, number))
                except ParameterError:
                    continue
                assert generated.closure == place.closure_rule(generated.problem)
