"""Ground facts and actions: a symbol and its arguments, as ``(on b1 b2)`` or ``(stack b1 b2)``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

Atom: TypeAlias = tuple[str, ...]
AtomSet: TypeAlias = frozenset[Atom]


def atom_of(text: Any) -> Atom:
    """Return a stored fact or action, which may be written with or without parentheses."""
    return tuple(str(text).lower().strip("() \n").split())


def atom_set(texts: Iterable[Any]) -> AtomSet:
    """Return the set of some stored facts or actions."""
    return frozenset(map(atom_of, texts))


def written(atoms: AtomSet) -> str:
    """Return facts or actions as a person reads them, sorted; ``none`` for the empty set."""
    return ", ".join(f"({' '.join(atom)})" for atom in sorted(atoms)) or "none"


def difference(atoms_read: AtomSet, gold: AtomSet) -> str:
    """Return what is missing in an answer, and what is too much; empty where the sets are equal."""
    parts = [("missing", gold - atoms_read), ("not in the answer", atoms_read - gold)]
    return "; ".join(f"{label}: {written(atoms)}" for label, atoms in parts if atoms)
