"""Problems by numbers of facts are those that are built, and the first of a task that is not is refused."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.families.problems.maker import ProblemMaker
from orrery.families.problems.quotas import Draw
from orrery.model import OrreryError, ParameterError, literals
from orrery.seeds import stream
from tests.effort import examples
from tests.every_domain import CATALOG, difficulties, entry

OFFERING = [name for name in CATALOG.names if entry(name).sketches]


def test_the_largest_published_domains_offer_sketches():
    assert OFFERING == ["blocksworld", "gripper"]


@pytest.mark.parametrize("name", OFFERING)
@examples(200)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_a_sketch_is_what_is_built(name, seed, data):
    here = entry(name).generator
    task = data.draw(st.sampled_from(here.TASKS))
    limits = entry(name).limits(data.draw(st.sampled_from(difficulties(name))))
    try:
        parameters = here.draw(task, limits, stream(seed, "draw"))
    except ParameterError:  # some tasks have no easy problems
        return
    sketch, built = (make(task, parameters, stream(seed, "make")) for make in (here.sketch, here.build))
    init, goal, closure = (list(map(here.fact, some)) for some in (sketch.init, sketch.goal, sketch.closure))
    assert all(len(some) == len(set(some)) for some in (init, goal, closure))
    assert sketch.objects == built.problem.objects
    assert frozenset(init) == built.problem.init
    assert literals(goal) == built.problem.goal
    assert frozenset(closure) == built.closure == here.close_goal(built.problem)
    assert sketch.init_parameters == built.init_parameters
    assert sketch.goal_parameters == built.goal_parameters


@pytest.mark.parametrize(
    "wrong",
    [
        lambda sketch: sketch._replace(init=sketch.init[1:]),
        lambda sketch: sketch._replace(goal=[*sketch.goal, sketch.goal[0]]),
        lambda sketch: sketch._replace(closure=[]),
        lambda sketch: sketch._replace(goal_parameters={}),
    ],
)
def test_a_sketch_of_another_problem_is_refused(wrong, monkeypatch):
    here = entry("gripper")
    honest, task = here.generator, here.generator.TASKS[0]
    offered = {name: getattr(honest, name) for name in dir(honest)}
    lying = SimpleNamespace(**offered | {"sketch": lambda *given: wrong(honest.sketch(*given))})
    monkeypatch.setitem(vars(here), "generator", lying)
    with pytest.raises(OrreryError, match="'sketch' is not what 'build' makes"):
        ProblemMaker(here, 1).table([Draw("gripper", "medium", task, 0)])
