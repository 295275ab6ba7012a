"""Examples for ``generalization``: small, solved, and each of one split."""

import pytest

from orrery.catalog import SPLITS
from orrery.families.plans.tasks.generalization import solved_examples
from orrery.planning.execution import check_plan
from orrery.problems.problem_keys import spelled_key
from tests.every_domain import CATALOG, entry


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "grid", "depots"])
def test_examples_are_solved_smaller_and_of_one_split(name):
    assert name in CATALOG.names
    here, splits = entry(name), {}
    task = here.tasks[0].name
    for split in SPLITS:
        examples = solved_examples(here, task, 3, split, 12, 30, 3)
        assert examples[:1] == solved_examples(here, task, 3, split, 12, 30, 1)
        for problem, plan in examples:
            assert check_plan(here.domain, problem, plan).valid
            assert len(problem.objects) < 12
            assert len(plan) < 30
            assert splits.setdefault(spelled_key(here.domain, problem), split) == split


def test_a_task_that_no_generator_has_gives_none():
    assert solved_examples(entry("ferry"), "nowhere-to-nowhere", 1, "train", 99, 99, 2) == []
