"""Plans to be written, checked, repaired, reused and followed: tables ``plan_<task>``, a module a task."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.config import Settings
from orrery.families import Family, Gold, Row, Table
from orrery.families.plans.attack import attack_of
from orrery.families.plans.rows import PROMPTS, example_rows, plan_rows
from orrery.families.plans.schemas import PLANS
from orrery.families.plans.task import PlanTask
from orrery.families.plans.tasks import plan_tasks


def _gold(task: PlanTask) -> Gold:
    return Gold(task.gold_columns, lambda row, _: task.gold(row))


def _examples(settings: Settings) -> Iterator[Row]:
    """Return the worked examples of all tables."""
    for name, task in plan_tasks().items():
        yield from example_rows(settings, PLANS[name], task)


FAMILY = Family(
    tables=tuple(
        Table(
            PLANS[name],
            plan_rows(PLANS[name]),
            apart=("problem_id",),
            prompts=PROMPTS,
            template="plans",
            gold=_gold(task),
            scorer="plans",
            attack=attack_of(task),
        )
        for name, task in plan_tasks().items()
    ),
    examples=_examples,
)
