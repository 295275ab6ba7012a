"""Ground facts and actions: a symbol and its arguments, for example ``(on b1 b2)`` or ``(stack b1 b2)``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

Atom: TypeAlias = tuple[str, ...]
AtomSet: TypeAlias = frozenset[Atom]


def atom_of(text: Any) -> Atom:
    """Parse a stored fact or action, written with or without parentheses."""
    return tuple(str(text).lower().strip("() \n").split())


def atom_set(texts: Iterable[Any]) -> AtomSet:
    """Parse stored facts or actions; return their set."""
    return frozenset(map(atom_of, texts))


def written(atoms: AtomSet) -> str:
    """Return facts or actions as a sorted, readable text; ``none`` for the empty set."""
    return ", ".join(f"({' '.join(atom)})" for atom in sorted(atoms)) or "none"


def difference(atoms_read: AtomSet, gold: AtomSet) -> str:
    """Return a text with the missing and the wrong atoms of an answer; empty if the sets are equal."""
    parts = [("missing", gold - atoms_read), ("not in the answer", atoms_read - gold)]
    return "; ".join(f"{label}: {written(atoms)}" for label, atoms in parts if atoms)
