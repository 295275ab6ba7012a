"""Read the columns of a row, from any library, and the ground facts and actions in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]
Atom: TypeAlias = tuple[str, ...]  # a symbol and its arguments: ("stack", "b1", "b2")
AtomSet: TypeAlias = frozenset[Atom]
Literal: TypeAlias = tuple[Atom, bool]  # an atom, and whether it is affirmed

_ATOMS = re.compile(r"(?:\([^()]*\)\s*)+")
_ATOM = re.compile(r"\(([^()]*)\)")


def value(row: Row, column: str) -> Any:
    """Return the value of a column; None if it is missing."""
    stored = row.get(column)
    for convert in ("as_py", "tolist"):
        stored = getattr(stored, convert)() if hasattr(stored, convert) else stored
    return stored


def needed_value(row: Row, column: str) -> Any:
    """Return the value of a column; raise ValueError if it is missing."""
    if (stored := value(row, column)) is None:
        raise ValueError(f"the row has no {column!r}, without which replies to it cannot be graded")
    return stored


def structured_value(row: Row, column: str) -> Any:
    """Return the structured value of a column, which may be stored as JSON."""
    stored = value(row, column)
    return json.loads(stored) if isinstance(stored, str) else stored


def action_sequence(row: Row, column: str) -> list[Atom]:
    """Return the actions of a column; if it is missing, of the longest list of actions in the question."""
    if (stored := structured_value(row, column)) is not None:
        return [atom_of(step) for step in stored]
    longest = max(_ATOMS.findall(str(value(row, "question"))), key=len, default="")
    return [atom_of(step) for step in _ATOM.findall(longest)]


def costs_of(row: Row) -> Callable[[Atom], int]:
    """Return the function that returns the cost of an action of a row: 1 if the row states no costs.

    Raises:
        ValueError: the function is called with an action that has no cost.
    """
    costs = structured_value(row, "action_costs")
    objects = structured_value(row, "object_costs") or {}

    def cost_of(step: Atom) -> int:
        if costs is None:
            return 1
        if step[0] not in costs:
            raise ValueError(f"action_costs lacks the action {step[0]!r}")
        return int(costs[step[0]]) + sum(int(objects.get(name, 0)) for name in {*step[1:]})

    return cost_of


def atom_of(text: Any) -> Atom:
    """Parse a stored fact or action, written with or without parentheses."""
    return tuple(str(text).lower().strip("() \n").split())


def atom_set(texts: Iterable[Any]) -> AtomSet:
    """Parse stored facts or actions; return their set."""
    return frozenset(map(atom_of, texts))


def written(atoms: AtomSet) -> str:
    """Return facts or actions as a sorted, readable text; ``none`` for the empty set."""
    return ", ".join(f"({' '.join(atom)})" for atom in sorted(atoms)) or "none"


def jaccard(atoms_read: AtomSet, gold: AtomSet) -> float:
    """Return the Jaccard similarity of two sets, 1 for two empty sets."""
    union = len(atoms_read | gold)
    return len(atoms_read & gold) / union if union else 1.0


def difference(atoms_read: AtomSet, gold: AtomSet) -> str:
    """Return a text with the missing and the wrong atoms of an answer; empty if the sets are equal."""
    parts = [("missing", gold - atoms_read), ("not in the answer", atoms_read - gold)]
    return "; ".join(f"{label}: {written(atoms)}" for label, atoms in parts if atoms)
