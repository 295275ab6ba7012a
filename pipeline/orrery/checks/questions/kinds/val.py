"""Check sequences of actions by executing them on sets of facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from orrery.checks.execution import VERDICTS, execute, ill_typed, statics_hold, verdict
from orrery.checks.questions.answers import well_typed
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.checks.verdicts import differing
from orrery.model import OrreryError, Step
from orrery.pddl.write import parse_atom, write_atom

IN_PARENTHESES = re.compile(r"\([^()]*\)")


def _faults(question: QuestionView) -> list[str]:
    """Return the faults of the index of the first inapplicable step."""
    row, rechecked = question
    steps = list(map(parse_atom, row["sequence"]))
    if faults := ill_typed(rechecked.domain, rechecked.problem, steps):
        return faults
    failing = execute(rechecked.domain, rechecked.problem, steps).failed
    wrong = differing({"answer": failing}, row)
    impossible = [s for s in steps if not statics_hold(rechecked.domain, rechecked.problem, s)]
    wrong += [f"{write_atom(step)} is ruled out by what never changes" for step in impossible]
    if _named(row["question"], rechecked) != steps:
        wrong.append("the question does not name the actions of the sequence")
    return wrong


def _named(text: str, rechecked: RecheckedState) -> list[Step]:
    """Return the actions in parentheses in ``text``, in their order."""
    atoms = (tuple(match[1:-1].split()) for match in IN_PARENTHESES.findall(text))
    return [step for step in atoms if step and step[0] in rechecked.domain.action_named]


def _holds(claim: Mapping[str, Any], rechecked: RecheckedState) -> bool:
    if claim["says"] not in VERDICTS:
        raise OrreryError("claim", f"says '{claim['says']}', which means nothing")
    steps = [parse_atom(text) for text in claim["sequence"]]
    well_typed([step for step in steps if step[0] in rechecked.domain.action_named], rechecked)
    return verdict(rechecked.domain, rechecked.problem, steps) == str(claim["says"])


CHECK = QuestionCheck(
    groups={"gen": "validation_gen", "bool": "validation_bool", "mcq": "validation_mcq"},
    columns=("answer", "sequence"),
    faults=_faults,
    reply=lambda row: str(row["answer"]),
    keys=frozenset({"sequence", "says"}),
    holds=_holds,
)
