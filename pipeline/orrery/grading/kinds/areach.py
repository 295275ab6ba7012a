"""Action reachability (``areach``): a well-typed ground action that is applicable in no reachable state.

A row may store the reachable actions (``answer_all_is``), with what is well-typed (``typing``), where these
are fewer than the unreachable ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from ..alternatives import Alternatives, alternatives_of, check_one
from ..atoms import Atom, AtomSet, written
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import read_one, reader_of_atoms
from ..grader import Grader
from ..names import action_names
from ..row import Row, structured_value, value
from ..score import Score, score_of


def _check(found: AtomSet, row: Row) -> Score:
    for action in found:
        if fault := _typing_fault(action, row):
            return score_of(False, f"{written(found)} is no action of the problem: {fault}")
    if value(row, "answer_all_is") != "reachable":
        return check_one(found, alternatives_of(row))
    if not found:
        return check_one(found, Alternatives(structured_value(row, "answer")))
    reachable = Alternatives(structured_value(row, "answer_all"))
    return score_of(not reachable.has(found), f"{written(found)} can become applicable")


def _typing_fault(action: Atom, row: Row) -> str:
    """Return why ``action`` is not well-typed; empty if it is, or if the row has no typing."""
    if (text := value(row, "typing")) is None:
        return ""
    actions, objects = _typing(text)
    types = actions.get(action[0])
    if types is None or len(types) != len(action) - 1:
        return f"no action '{action[0]}' of {len(action) - 1} arguments"
    for name, allowed in zip(action[1:], types, strict=True):
        if not any(name in objects.get(each, ()) for each in allowed):
            return f"'{name}' is no {' or '.join(allowed)}"
    return ""


# Replies to one row follow each other: its typing is read once.
@lru_cache(maxsize=64)
def _typing(text: str) -> tuple[Mapping[str, Sequence[Sequence[str]]], Mapping[str, frozenset[str]]]:
    """Return the types of the parameters by action, and the objects by type."""
    typing = json.loads(text)
    objects = {each: frozenset(map(str.lower, names)) for each, names in typing["objects"].items()}
    return {name.lower(): types for name, types in typing["actions"].items()}, objects


GRADERS = {
    "reachable_action_gen": Grader(partial(reader_of_atoms, read_one, action_names), _check),
    "reachable_action_bool": BOOLEAN,
    "reachable_action_mc": CHOICE,
}
