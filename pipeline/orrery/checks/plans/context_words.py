"""The context of a row in words, read back: it must say what its PDDL says."""

from __future__ import annotations

import json

from orrery.checks.plans.plan_row import PlanRow
from orrery.language.choices import Wordings
from orrery.language.words import macro_name, names_by_type

ABSTRACT = "abstract"


def check(asked: PlanRow) -> list[str]:
    """Return where the context in words is not that of the problem that the row tells."""
    steps = [] if asked.readers.vocabulary else asked.plain_state.task.action_of
    if asked.readers.vocabulary:
        renamed = asked.names.renamed
        assert renamed is not None
        steps = [renamed.step(step) for step in asked.plain_state.task.action_of]
    passages = _passages(asked) if asked.row.get("form") == ABSTRACT else None
    read, row = asked.readers.context, asked.row
    said = read.check(row["context"], asked.task, asked.told, steps, passages, style=row["style"])
    return said.faults_of(row)


def _passages(asked: PlanRow) -> Wordings:
    """Return the wordings of the abstract goal of the problem that the row belongs to."""
    origin = asked.checked.row
    parameters = json.loads(origin["parameters"])["goal"]
    names = names_by_type(asked.checked.problem, asked.plain_domain)
    return asked.readers.words.every(macro_name("goal", origin["goal"]), parameters, names)
