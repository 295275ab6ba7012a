"""Answers with several right alternatives: a reply gives one of them, or says none if there is none."""

from __future__ import annotations

from collections.abc import Iterable

from .row import AtomSet, Row, atom_of, structured_value, written
from .score import Score, score_of


def alternatives_of(row: Row) -> Iterable[str]:
    """Return all answers of a row: ``answer_all`` if present, because ``answer`` is capped."""
    complete = structured_value(row, "answer_all")
    return structured_value(row, "answer") if complete is None else complete  # type: ignore[no-any-return]


def check_one(atoms: AtomSet, alternatives: Iterable[str]) -> Score:
    """Score an answer as right if it is one of the alternatives, or none and there are none."""
    gold = list(map(atom_of, alternatives))
    if not atoms:
        return score_of(not gold, f"there is one, for example {written(frozenset(gold[:1]))}")
    return score_of(atoms.issubset(gold), f"{written(atoms)} is not an answer")
