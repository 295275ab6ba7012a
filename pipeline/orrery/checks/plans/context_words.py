"""The context of a row in words, read back: it must say what its PDDL says."""

from __future__ import annotations

import json

from orrery.checks.plans.plan_row import PlanRow
from orrery.language.choices import Wordings
from orrery.language.words import macro_name, names_by_type

ABSTRACT = "abstract"


def check(plan_row: PlanRow) -> list[str]:
    """Return where the context in words is not that of the problem that the row tells."""
    steps = [] if plan_row.readers.vocabulary else plan_row.plain_state.task.action_of
    if plan_row.readers.vocabulary:
        renamed = plan_row.names.renamed
        assert renamed is not None
        steps = [renamed.step(step) for step in plan_row.plain_state.task.action_of]
    passages = _passages(plan_row) if plan_row.row.get("form") == ABSTRACT else None
    read, row = plan_row.readers.context, plan_row.row
    misread = read.check(row["context"], plan_row.task, plan_row.told, steps, passages, style=row["style"])
    return misread.faults_of(row)


def _passages(plan_row: PlanRow) -> Wordings:
    """Return the wordings of the abstract goal of the problem that the row belongs to."""
    origin = plan_row.checked.row
    parameters = json.loads(origin["parameters"])["goal"]
    names = names_by_type(plan_row.checked.problem, plan_row.plain_domain)
    return plan_row.readers.words.every(macro_name("goal", origin["goal"]), parameters, names)
