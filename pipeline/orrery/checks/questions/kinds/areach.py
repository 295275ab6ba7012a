"""Reachability of actions, over all well-typed ground actions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.questions.answers import PUBLISHED_MOST, action_faults, repeats
from orrery.checks.questions.atoms import step_of
from orrery.checks.questions.kind_check import KindCheck, Row
from orrery.checks.rechecked_state import RecheckedState
from orrery.model import Step
from orrery.pddl.write import parse_atom
from orrery.semantics.execution import mistyped
from orrery.semantics.universe import count_steps


def _answer(row: Row, rechecked: RecheckedState) -> list[str]:
    """Return the stored set of actions and its complement, over all well-typed ground actions."""
    stored = list(map(parse_atom, row["answer_all"]))
    found = repeats("answer_all", row["answer_all"]) + repeats("answer", row["answer"])
    ill_typed = (
        mistyped(rechecked.domain, rechecked.problem, step) for step in map(parse_atom, row["answer"])
    )
    found += [fault for fault in ill_typed if fault]
    if row["answer_all_is"] not in ("reachable", "unreachable"):
        return [*found, f"answer_all_is '{row['answer_all_is']}'"]
    reachable = _reachable_actions(row, rechecked, set(stored))
    if reachable is None:
        return [*found, "answer_all is neither the reachable nor the unreachable actions"]
    never = count_steps(rechecked.domain, rechecked.problem) - len(reachable)
    if row["num_unreachable"] != never:
        found.append(f"num_unreachable is {row['num_unreachable']}, should be {never}")
    if (len(stored), row["answer_all_is"]) > (min(never, len(reachable)), "unreachable"):
        found.append("answer_all is the larger of both sets")
    found += _first_never(row, rechecked, reachable, never)
    found += _typing_faults(json.loads(row["typing"]), rechecked)
    return found + action_faults(rechecked, reachable)


def _reachable_actions(row: Row, rechecked: RecheckedState, stored: set[Step]) -> set[Step] | None:
    """Return the actions that the row calls reachable.

    Return None where the stored set is neither side of all actions.
    """
    relaxed = set(rechecked.task.action_of)
    if row["answer_all_is"] == "reachable":
        return stored if stored <= relaxed else None
    beyond = [
        step for step in sorted(stored - relaxed) if not mistyped(rechecked.domain, rechecked.problem, step)
    ]
    whole = len(beyond) == count_steps(rechecked.domain, rechecked.problem) - len(relaxed)
    return relaxed - stored if whole and len(stored) == len(beyond) + len(stored & relaxed) else None


def _first_never(row: Row, rechecked: RecheckedState, reachable: set[Step], never: int) -> list[str]:
    """Return faults of the stored answer: all unreachable actions, or some where there are too many."""
    found = [f"{text} is in answer, but reachable" for text in row["answer"] if parse_atom(text) in reachable]
    if len(row["answer"]) not in (never, min(never, PUBLISHED_MOST)):
        found.append(f"answer has {len(row['answer'])} of {never} actions")
    return found


def _typing_faults(typing: Any, rechecked: RecheckedState) -> list[str]:
    """Return where the types of arguments and objects admit other actions than the domain does."""
    found = []
    if sorted(typing["actions"]) != sorted(rechecked.domain.action_named):
        return [f"typing has the actions {sorted(typing['actions'])}"]
    for action in rechecked.domain.actions:
        listed = typing["actions"][action.name]
        if len(listed) != len(action.parameters):
            found.append(f"typing gives {action.name} {len(listed)} arguments")
            continue
        for types, parameter in zip(listed, action.parameters, strict=True):
            admitted = {name for each in types for name in typing["objects"].get(each, ())}
            fitting = {n for n, own in rechecked.types.items() if rechecked.domain.fits(own, parameter.types)}
            if admitted != fitting:
                found.append(f"typing admits others than fit {parameter.name} of {action.name}")
    return found


def _holds(claim: Mapping[str, Any], rechecked: RecheckedState) -> bool | None:
    steps = [step_of(text, rechecked) for text in claim["actions"]]
    if any(step not in rechecked.task.action_of for step in steps):
        return False
    together = [needs(rechecked.task.action_of[step]) for step in steps]
    return rechecked.can_hold(Condition(*(reduce(or_, masks) for masks in zip(*together, strict=True))))


CHECK = KindCheck(
    groups={"gen": "reachable_action_gen", "bool": "reachable_action_bool", "mcq": "reachable_action_mc"},
    columns=("answer", "answer_all", "answer_all_is", "num_unreachable", "typing"),
    answer=_answer,
    reply=lambda row: row["answer"][0] if row["answer"] else "",
    keys=frozenset({"actions"}),
    holds=_holds,
)
