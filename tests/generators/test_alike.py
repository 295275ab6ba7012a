"""What generators say of parameters before a problem is built: whatever is alike has equal keys."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.equivalence.keys import Keys, keys
from orrery.model import ParameterError
from orrery.seeds import stream
from tests.effort import examples, some
from tests.every_domain import CATALOG, entry

OFFERING = [name for name in CATALOG.names if hasattr(entry(name).generator, "alike")]
EACH = 12


def drawn(place, task, difficulty, seed):
    """Parameters of a task, what is said of them, and two problems built of them under different names."""
    try:
        parameters = place.generator.draw(task, place.limits(difficulty), stream(seed, "draw"))
    except ParameterError:  # some tasks have no easy problems
        return
    key_alike = place.alike(task, parameters)
    for number in range(2 if key_alike else 0):
        problem = place.generator.build(task, parameters, stream(seed, "build", number)).problem
        yield key_alike, problem


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFERING)
@examples(60)
@given(seed=st.integers(0, 2**32), difficulty=st.sampled_from(["easy", "medium"]), data=st.data())
def test_what_is_alike_has_equal_keys(name, seed, difficulty, data):
    """Over tasks: equal first values have equal keys of init, equal second ones of the goal, by any names."""
    place = entry(name)
    tasks = data.draw(st.lists(st.sampled_from(place.tasks), min_size=2, max_size=2))
    inits, goals, whole = defaultdict(set), defaultdict(set), defaultdict(set)
    for number in range(EACH):
        for task in tasks:
            for (init, goal), problem in drawn(place, task, difficulty, (seed, number)):
                problem_keys = keys(place.domain, problem, rule=place.closure_rule)
                assert isinstance(problem_keys, Keys)
                inits[init].add(problem_keys.init)
                goals[goal].add(problem_keys.goal)
                if not task.interchangeable:
                    whole[task, init, goal].add(problem_keys.strict)
    assert inits
    for by_value in (inits, goals, whole):
        assert all(len(group) == 1 for group in by_value.values())


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
