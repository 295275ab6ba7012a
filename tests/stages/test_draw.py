from pathlib import Path

import pytest

from orrery.model import OrreryError, UsageError
from orrery.pddl.read import read_domain, read_problem
from orrery.stages.draw import draw
from tests.every_domain import CATALOG

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", CATALOG.names)
def test_a_problem_of_each_domain_is_drawn_and_described(name):
    drawn = draw(ROOT, name, seed=5)
    problem = read_problem(drawn.problem_pddl, read_domain(drawn.domain_pddl))
    assert not problem.satisfied(problem.init)
    assert [each for each in problem.objects if each.name not in drawn.natural_language] == []
    assert draw(ROOT, name, seed=5) == drawn
    assert draw(ROOT, name, seed=6).problem_pddl != drawn.problem_pddl


def test_task_and_difficulty_are_those_that_are_named():
    for task in CATALOG.entry("ferry").tasks[:3]:
        drawn = draw(ROOT, "ferry", task=task.name, difficulty="medium")
        assert (drawn.task, drawn.difficulty) == (task.name, "medium")


@pytest.mark.parametrize(
    ("domain", "wanted", "said"),
    [
        ("nowhere", {}, "there are: .*ferry"),
        ("ferry", {"task": "none"}, "no task 'none' to draw"),
        ("ferry", {"difficulty": "mad"}, "no difficulty 'mad'"),
    ],
)
def test_what_there_is_not_is_refused(domain, wanted, said):
    with pytest.raises(OrreryError, match=said) as refused:
        draw(ROOT, domain, **wanted)
    assert isinstance(refused.value, UsageError) == ("difficulty" not in wanted)
