"""What posing leaves behind."""

from __future__ import annotations

import gc
import weakref
from collections import defaultdict
from dataclasses import replace

import pytest

from orrery.config import PoseSize
from orrery.families.plans.posing import _pose_each, states_in_turn
from orrery.families.plans.source import in_vocabulary
from orrery.families.plans.tasks import plan_tasks
from tests.every_domain import CATALOG, ROOT, entry
from tests.families.plans.made import sources

NAMES = [name for name in CATALOG.names if entry(name).tasks]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_was_asked_about_is_let_go_without_a_look_at_cycles(name):
    tables, seen = defaultdict(list), []

    def each():
        for source in sources(name)[:2]:
            own_source = replace(source, record=replace(source.record))
            seen.append(weakref.ref(own_source.task))
            yield own_source
            seen.append(
                weakref.ref((renamed := in_vocabulary(own_source, "meaningless", ROOT / "templates")).task)
            )
            yield renamed

    gc.collect()
    gc.disable()
    try:
        _pose_each(each(), tuple(plan_tasks()), PoseSize(rows=6), tables)
        assert seen
        assert not [task for task in seen if task() is not None]
    finally:
        gc.enable()
    assert any(tables.values())


def test_problems_come_after_decided_states_and_those_with_few_states_come_first():
    decided = [{"problem_id": "a", "source": "walk"}, {"problem_id": "b", "source": "initial"}]
    problems = [{"problem_id": name} for name in "abcdef"]
    sizes = {"a": (True, None), "b": (True, 9), "c": (True, None), "d": (True, 9), "e": (False, 9)}
    solutions = {
        name: {"problem_id": name, "solvable": solvable, "num_states": states}
        for name, (solvable, states) in sizes.items()
    }
    names = [row["problem_id"] for row in states_in_turn(decided, problems, solutions)]
    assert names == ["a", "b", "d", "a", "c"]
