"""Check reachability of facts by a plain search, or by planner calls for all stored facts together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orrery.checks.compiled_query import Condition
from orrery.checks.questions.answers import (
    PUBLISHED_MOST,
    fact_faults,
    fact_of,
    needs_faults,
    repeats,
)
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.model import Row


def _faults(question: QuestionView) -> list[str]:
    """Return facts of the answer that are reachable, and other facts of the universe that are not."""
    row, rechecked = question
    stored = {tuple(fact.split()) for fact in row["answer_all"]}
    faults = repeats("answer_all", row["answer_all"]) + _capped(row, row["answer_all"])
    faults += needs_faults(row, stored, set(rechecked.task.bit), len(rechecked.facts))
    return faults + fact_faults(rechecked, stored)


def _capped(row: Row, everything: Sequence[str]) -> list[str]:
    if row["answer"] == list(everything[:PUBLISHED_MOST]):
        return []
    return [f"answer is not the first {PUBLISHED_MOST} of all"]


def _holds(claim: Mapping[str, Any], rechecked: RecheckedState) -> bool | None:
    facts = [fact_of(text, rechecked) for text in claim["facts"]]
    if any(fact not in rechecked.task.bit and fact not in rechecked.task.statics for fact in facts):
        return False
    return rechecked.can_hold(Condition(rechecked.task.mask(facts)))


CHECK = QuestionCheck(
    groups={"gen": "reachable_atom_gen", "bool": "reachable_atom_bool", "mcq": "reachable_atom_mc"},
    tells_goal=False,
    columns=("answer", "answer_all", "answer_needs", "chance"),
    faults=_faults,
    reply=lambda row: f"({row['answer'][0]})" if row["answer"] else "",
    keys=frozenset({"facts"}),
    holds=_holds,
    proven=((("unreachable_facts",), "unreachable_fact_proofs"),),
    proof_lists=("answer_all",),
)
