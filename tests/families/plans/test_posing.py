"""What posing leaves behind."""

from __future__ import annotations

import gc
import weakref
from collections import defaultdict
from dataclasses import replace

import pytest

from orrery.config import PoseSize
from orrery.families.plans.posing import _pose_each
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
