"""Open questions on sequences: the first step that cannot be taken, and steps that a plan can do without."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from orrery.checks.sequences import first_failing, ill_typed, occurrences, statics_hold, superfluous
from orrery.checks.world import RecheckedState
from orrery.model import Step
from orrery.pddl.write import parse_atom, write_atom
from orrery.semantics.execution import check_plan

BEFORE, AFTER = 19, 147  # characters around the plan, which graders of the published sets go by
PAIR = "-1"
IN_PARENTHESES = re.compile(r"\([^()]*\)")

Row = Mapping[str, Any]


def check_sequence(row: Row, world: RecheckedState) -> list[str]:
    """What is wrong with the index of the first step that is not applicable."""
    steps = list(map(parse_atom, row["sequence"]))
    if faults := ill_typed(world.domain, world.problem, steps):
        return faults
    failing = first_failing(world.domain, world.problem, steps)
    found = [] if failing == row["answer"] else [f"answer is {row['answer']}, should be {failing}"]
    impossible = [s for s in steps if not statics_hold(world.domain, world.problem, s)]
    found += [f"{write_atom(step)} is ruled out by what never changes" for step in impossible]
    if named(row["question"], world) != steps:
        found.append("the question does not name the actions of the sequence")
    return found


def check_removals(row: Row, world: RecheckedState) -> list[str]:
    """What is wrong with the steps, alone or in twos, without which the plan stays valid."""
    plan = list(map(parse_atom, row["plan"]))
    verdict = check_plan(world.domain, world.problem, plan)
    if not verdict.valid:
        return [f"the plan is not valid: {verdict.reason}"]
    cut = row["question"][BEFORE:-AFTER]
    found = [] if cut == " ".join(row["plan"]) else [f"between {BEFORE} and {AFTER} characters is no plan"]
    wanted = {(s, tuple(_written(plan, s, w))) for s, w in superfluous(world.domain, world.problem, plan)}
    stored = list(zip(row["positions"], map(tuple, row["answer"]), strict=False))
    if len(row["positions"]) != len(row["answer"]):
        found.append("there is not one position for each removal")
    if not wanted:
        found.append("nothing can be removed")
    return found + _compared(plan, stored, wanted)


def _compared(plan: list[Step], stored: list[Any], wanted: set[Any]) -> list[str]:
    """Removals missing, too much or twice; of a pair that stands in several places, one is enough.

    All its occurrences must agree then, as an answer does not say which is meant.
    """
    found = [f"{removal} at {start} leaves no plan" for start, removal in sorted(set(stored) - wanted)]
    told = {removal for _, removal in stored}
    missing = sorted({removal for _, removal in wanted} - told)
    found += [f"{removal} can be removed, too" for removal in missing]
    found += ["a removal stands twice"] * (len(set(stored)) < len(stored))
    for removal in sorted(removal for removal in told if removal[-1] == PAIR):
        everywhere = {(start, removal) for start in occurrences(plan, list(map(parse_atom, removal[:2])))}
        found += [f"{removal} can be removed in some places only"] * bool(everywhere - wanted)
    return found


def _written(plan: list[Step], start: int, width: int) -> list[str]:
    """A removal as it is stored: two actions and -1, or one and which of its occurrences it is."""
    texts = [write_atom(step) for step in plan[start : start + width]]
    return [*texts, PAIR] if width > 1 else [*texts, str(plan[: start + 1].count(plan[start]))]


def named(text: str, world: RecheckedState) -> list[Step]:
    """The actions that stand in parentheses in ``text``, in their order."""
    found = (tuple(match[1:-1].split()) for match in IN_PARENTHESES.findall(text))
    return [step for step in found if step and step[0] in world.domain.action_named]
