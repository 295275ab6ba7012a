"""Read the columns of a row as Python values, from any library."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from .atoms import Atom, atom_of

Row: TypeAlias = Mapping[str, Any]

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
