"""A question as a whole: its columns, its answer, the reply that gives it, and the state it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.checks.questions import columns
from orrery.checks.questions.bool_mcq import check_bool, check_mcq
from orrery.checks.questions.columns import BOOL, MCQ, OPEN, format_of
from orrery.checks.questions.kinds import check_of
from orrery.checks.world import RecheckedState
from orrery.grading import grade
from orrery.model import Atom
from orrery.pddl.write import write_atom

OF_STATE = ("h_star", "num_states")

Row = Mapping[str, Any]


def check(row: Row, world: RecheckedState) -> list[str]:
    """What is wrong with a question about the state of ``world``; raises OrreryError on unreadable claims."""
    routes = {OPEN: check_of(row["kind"]).answer, BOOL: check_bool, MCQ: check_mcq}
    return columns.check(row, world) + routes[format_of(row)](row, world) + _graded(row)


def check_origin(row: Row, problem_init: frozenset[Atom], state: Row | None) -> list[str]:
    """Where a row does not ask about the decided state that it says it comes from.

    ``state`` has the facts (``state``) and the numbers of ``OF_STATE`` of that state; None where there is
    no such state. The numbers are proven anew with the state. ``problem_init`` is the row's own.
    """
    if state is None:
        return [f"there is no state '{row['state_source']}' at step {row['state_step']}"]
    own, its = set(map(write_atom, problem_init)), set(state["state"])
    found = [f"init: {fact} is missing" for fact in sorted(its - own)]
    found += [f"init: {fact} is too much" for fact in sorted(own - its)]
    differing = [name for name in OF_STATE if row[name] != state[name]]
    return found + [f"{name} is {row[name]}, that of the state {state[name]}" for name in differing]


def _graded(row: Row) -> list[str]:
    """The faults that the grader finds in the gold answer."""
    score = grade(gold_reply(row), row)
    return [] if score.value == 1 else [f"the gold answer is graded {score.verdict}: {score.detail}"]


def gold_reply(row: Row) -> str:
    """A reply that gives the stored answer; of answers that are alternatives the first."""
    open_question = format_of(row) == OPEN
    return f"ANSWER: {(check_of(row['kind']).reply(row) if open_question else row['answer']) or 'None'}"
