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


def drawn(here, task, difficulty, seed):
    """Parameters of a task, what is said of them, and two problems built of them under different names."""
    try:
        parameters = here.generator.draw(task, here.limits(difficulty), stream(seed, "draw"))
    except ParameterError:  # some tasks have no easy problems
        return
    found = here.alike(task, parameters)
    for number in range(2 if found else 0):
        problem = here.generator.build(task, parameters, stream(seed, "build", number)).problem
        yield found, problem


def test_published_domains_say_what_is_alike():
    assert {"blocksworld", "gripper", "floor-tile"} <= set(OFFERING)


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFERING)
@examples(60)
@given(seed=st.integers(0, 2**32), difficulty=st.sampled_from(["easy", "medium"]), data=st.data())
def test_what_is_alike_has_equal_keys(name, seed, difficulty, data):
    """Over tasks: equal first values have equal keys of init, equal second ones of the goal, by any names."""
    here = entry(name)
    tasks = data.draw(st.lists(st.sampled_from(here.tasks), min_size=2, max_size=2))
    inits, goals, whole = defaultdict(set), defaultdict(set), defaultdict(set)
    for number in range(EACH):
        for task in tasks:
            for (init, goal), problem in drawn(here, task, difficulty, (seed, number)):
                found = keys(here.domain, problem, rule=here.closure_rule)
                assert isinstance(found, Keys)
                inits[init].add(found.init)
                goals[goal].add(found.goal)
                if not task.interchangeable:
                    whole[task, init, goal].add(found.strict)
    assert inits
    for by_value in (inits, goals, whole):
        assert all(len(some) == 1 for some in by_value.values())


@pytest.mark.parametrize("name", OFFERING)
def test_most_problems_that_are_equal_are_alike(name):
    """Or little would be saved: among easy problems of a task, which repeat."""
    here, known, equal, said = entry(name), {}, 0, 0
    for task in here.tasks:
        for number in range(EACH):
            for found, problem in drawn(here, task, "easy", number):
                key = (task, keys(here.domain, problem, rule=here.closure_rule).loose)
                equal += key in known
                said += known.setdefault(key, found) == found
    assert said - len(known) > 0.8 * equal > 0


@pytest.mark.parametrize("name", ["blocksworld", "gripper"])
def test_a_closure_that_the_construction_tells_is_that_of_the_rule(name):
    here = entry(name)
    for task in here.tasks:
        for difficulty in here.description.difficulties:
            for number in range(some(EACH)):
                try:
                    made = here.make(task, difficulty, stream(7, task.name, difficulty, number))
                except ParameterError:
                    continue
                assert made.closure == here.closure_rule(made.problem)
