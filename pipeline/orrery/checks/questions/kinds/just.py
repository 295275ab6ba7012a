"""Check removals from a plan by executing each remaining sequence on sets of facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.checks.execution import fault_of_plan, is_plan, occurrences, superfluous, without
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.model import OrreryError, Row, Step
from orrery.pddl.write import parse_atom, write_atom

BEFORE, AFTER = 19, 147  # characters around the plan, on which graders of the published sets depend
PAIR = "-1"


def _faults(question: QuestionView) -> list[str]:
    """Return the faults of the removable steps, single or in pairs."""
    row, rechecked = question
    plan = list(map(parse_atom, row["plan"]))
    if fault := fault_of_plan(rechecked.domain, rechecked.problem, plan):
        return [f"the plan is not valid: {fault}"]
    cut = row["question"][BEFORE:-AFTER]
    faults = [] if cut == " ".join(row["plan"]) else [f"between {BEFORE} and {AFTER} characters is no plan"]
    expected = {
        (s, tuple(_written(plan, s, w))) for s, w in superfluous(rechecked.domain, rechecked.problem, plan)
    }
    stored = list(zip(row["positions"], map(tuple, row["answer"]), strict=False))
    if len(row["positions"]) != len(row["answer"]):
        faults.append("there is not one position for each removal")
    if not expected:
        faults.append("nothing can be removed")
    return faults + _compared(plan, stored, expected)


def _compared(plan: list[Step], stored: list[Any], expected: set[Any]) -> list[str]:
    """Return removals that are missing, wrong or repeated; a pair that occurs several times is listed once.

    All its occurrences must give the same result, because an answer does not say which occurrence is meant.
    """
    faults = [f"{removal} at {start} leaves no plan" for start, removal in sorted(set(stored) - expected)]
    mentioned = {removal for _, removal in stored}
    missing = sorted({removal for _, removal in expected} - mentioned)
    faults += [f"{removal} can be removed, too" for removal in missing]
    faults += ["a removal stands twice"] * (len(set(stored)) < len(stored))
    for removal in sorted(removal for removal in mentioned if removal[-1] == PAIR):
        everywhere = {(start, removal) for start in occurrences(plan, list(map(parse_atom, removal[:2])))}
        faults += [f"{removal} can be removed in some places only"] * bool(everywhere - expected)
    return faults


def _written(plan: list[Step], start: int, width: int) -> list[str]:
    """Return a removal as stored: two actions and -1, or one action and the number of its occurrence."""
    texts = [write_atom(step) for step in plan[start : start + width]]
    return [*texts, PAIR] if width > 1 else [*texts, str(plan[: start + 1].count(plan[start]))]


def _holds(claim: Mapping[str, Any], rechecked: RecheckedState) -> bool:
    plan, part = ([parse_atom(text) for text in claim[key]] for key in ("plan", "remove"))
    if not is_plan(rechecked.domain, rechecked.problem, plan):
        raise OrreryError("claim", "the plan is not valid")
    if len(part) not in (1, 2) or list(claim["at"]) != occurrences(plan, part) or not claim["at"]:
        raise OrreryError("claim", f"{claim['remove']} does not stand at {claim['at']} in the plan")
    remainders = [without(plan, start, len(part)) for start in claim["at"]]
    verdicts = {is_plan(rechecked.domain, rechecked.problem, steps) for steps in remainders}
    if len(verdicts) > 1:
        raise OrreryError("claim", f"{claim['remove']} can be removed here, but not there")
    return verdicts == {True}


def _reply(row: Row) -> str:
    """Return the plan without the first removal of the answer."""
    start, removed = row["positions"][0], row["answer"][0]
    return " ".join([*row["plan"][:start], *row["plan"][start + (2 if removed[-1] == PAIR else 1) :]])


CHECK = QuestionCheck(
    groups={
        "gen": "action_justification_gen",
        "bool": "action_justification_bool",
        "mcq": "action_justification_mcq",
    },
    columns=("answer", "plan", "positions"),
    faults=_faults,
    reply=_reply,
    keys=frozenset({"plan", "remove", "at"}),
    holds=_holds,
)
