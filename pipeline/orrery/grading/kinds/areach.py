"""Action reachability (``areach``): a ground action that is applicable in no reachable state.

An action is a candidate only if it is well typed and its static preconditions and (in)equalities hold. The
column ``typing`` contains these conditions. A row may store the reachable actions instead (``answer_all_is``)
if they are fewer than the unreachable ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from ..alternatives import Alternatives, alternatives_of, check_one
from ..atoms import Atom, AtomSet, written
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import atoms_finder, read_one
from ..row import Row, structured_value, value
from ..score import Grader, Score, score_of
from ..symbols import step_symbols


def _check(actions: AtomSet, row: Row) -> Score:
    for action in actions:
        if fault := _fault(action, row):
            return score_of(False, f"{written(actions)} is no action of the problem: {fault}")
    if value(row, "answer_all_is") != "reachable":
        return check_one(actions, alternatives_of(row))
    if not actions:
        return check_one(actions, Alternatives(structured_value(row, "answer")))
    reachable = Alternatives(structured_value(row, "answer_all"))
    return score_of(not reachable.has(actions), f"{written(actions)} can become applicable")


def _fault(action: Atom, row: Row) -> str:
    """Return why types or static facts rule out ``action``; empty if they do not or are not stored."""
    if (text := value(row, "typing")) is None:
        return ""
    typing = _typing(text)
    types = typing.actions.get(action[0])
    if types is None or len(types) != len(action) - 1:
        return f"no action '{action[0]}' of {len(action) - 1} arguments"
    for name, allowed in zip(action[1:], types, strict=True):
        if not any(name in typing.objects.get(type_name, ()) for type_name in allowed):
            return f"'{name}' is no {' or '.join(allowed)}"
    for positive, predicate, *places in typing.conditions.get(action[0], ()):
        named = tuple(
            action[type_name] if isinstance(type_name, int) else type_name.lower() for type_name in places
        )
        holds = named[0] == named[1] if predicate == "=" else named in typing.statics.get(predicate, ())
        if holds != positive:
            return f"({' '.join((predicate, *named))}) {'never' if positive else 'always'} holds"
    return ""


class _Typing(NamedTuple):
    """The types and static conditions of the actions of a problem."""

    actions: Mapping[str, Sequence[Sequence[str]]]
    objects: Mapping[str, frozenset[str]]
    conditions: Mapping[str, Sequence[Sequence[Any]]]
    statics: Mapping[str, frozenset[Atom]]


# Replies to one row are consecutive, so its typing is read once.
@lru_cache(maxsize=64)
def _typing(text: str) -> _Typing:
    """Parse the column ``typing``; rows of version 1 contain no conditions."""
    typing = json.loads(text)
    return _Typing(
        {name.lower(): types for name, types in typing["actions"].items()},
        {key: frozenset(map(str.lower, names)) for key, names in typing["objects"].items()},
        {name.lower(): listed for name, listed in typing.get("conditions", {}).items()},
        {
            name: frozenset(tuple(key.lower() for key in fact) for fact in facts)
            for name, facts in typing.get("statics", {}).items()
        },
    )


GRADERS = {
    "reachable_action_gen": Grader(atoms_finder(partial(read_one, impossible=True), step_symbols), _check),
    "reachable_action_bool": BOOLEAN,
    "reachable_action_mc": CHOICE,
}
