"""Check applicability on a set of facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.checks.questions.answers import different, step_of
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.pddl.write import write_atom


def _faults(question: QuestionView) -> list[str]:
    row, rechecked = question
    return different("applicable", row["answer"], list(map(write_atom, rechecked.steps)))


def _holds(claim: Mapping[str, Any], rechecked: RecheckedState) -> bool:
    return step_of(claim["action"], rechecked) in rechecked.steps


CHECK = QuestionCheck(
    groups={
        "gen": "applicable_actions_gen",
        "bool": "applicable_actions_bool",
        "mcq": "applicable_actions_mc",
    },
    tells_goal=False,
    columns=("answer",),
    faults=_faults,
    reply=lambda row: " ".join(row["answer"]),
    keys=frozenset({"action"}),
    holds=_holds,
)
