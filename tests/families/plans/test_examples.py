"""Examples for ``generalization``: small, solved, and each of one split."""

import pytest

from orrery.catalog import SPLITS
from orrery.families.plans.examples import solved_examples
from orrery.families.plans.keys import spelled_key
from orrery.planning.execution import check_plan
from tests.every_domain import CATALOG, entry


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "grid", "depots"])
def test_examples_are_solved_smaller_and_of_one_split(name):
    assert name in CATALOG.names
    here, seen = entry(name), {}
    task = here.tasks[0].name
    for split in SPLITS:
        found = solved_examples(here, task, 3, split, 12, 30, 3)
        assert found == solved_examples(here, task, 3, split, 12, 30, 3)
        assert found[:1] == solved_examples(here, task, 3, split, 12, 30, 1)
        for each in found:
            assert check_plan(here.domain, each.problem, each.plan).valid
            assert len(each.problem.objects) < 12
            assert len(each.plan) < 30
            assert seen.setdefault(spelled_key(here.domain, each.problem), split) == split


def test_a_task_that_no_generator_has_gives_none():
    assert solved_examples(entry("ferry"), "nowhere-to-nowhere", 1, "train", 99, 99, 2) == []
