"""Check progression on a set of facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.checks.questions.answers import fact_of, repeats, step_of
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.model import Atom, OrreryError, Row
from orrery.pddl.write import write_atom


def _faults(question: QuestionView) -> list[str]:
    """Return the faults of the effects, compared with those of each action that the question may name."""
    row, rechecked = question
    answer = (sorted(row["answer"]["pos"]), sorted(row["answer"]["neg"]))
    twice = [fault for part, facts in row["answer"].items() for fault in repeats(part, facts)]
    steps = [step for step in rechecked.steps if write_atom(step) in row["question"]]
    if not steps:
        return ["the question names no applicable action"]
    before = rechecked.problem.init
    effects = [(_texts(t - before), _texts(before - t)) for t in map(rechecked.after, steps)]
    return twice or ([] if answer in effects else [f"the effects are {effects[0]}, stored {answer}"])


def _texts(facts: frozenset[Atom]) -> list[str]:
    return sorted(map(write_atom, facts))


def _holds(claim: Mapping[str, Any], rechecked: RecheckedState) -> bool:
    step = step_of(claim["action"], rechecked)
    if step not in rechecked.steps:
        raise OrreryError("claim", f"{claim['action']} is not applicable")
    after = rechecked.after(step)
    return all(fact_of(text, rechecked) in after for text in claim["facts"])


def _reply(row: Row) -> str:
    written = {part: " ".join(facts) or "None" for part, facts in row["answer"].items()}
    return f"pos: {written['pos']} neg: {written['neg']}"


CHECK = QuestionCheck(
    groups={"gen": "progression_gen", "bool": "progression_bool", "mcq": "progression_mcq"},
    tells_goal=False,
    columns=("answer",),
    faults=_faults,
    reply=_reply,
    keys=frozenset({"action", "facts"}),
    holds=_holds,
)
