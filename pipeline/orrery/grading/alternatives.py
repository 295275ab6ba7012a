"""Answers with several right alternatives: a reply gives one of them, or says none if there is none."""

from __future__ import annotations

from collections.abc import Iterable

from .row import AtomSet, Row, atom_of, structured_value, written
from .score import Score, score_of


class Alternatives:
    """Stored facts or actions, possibly thousands. They are searched as text, without parsing each."""

    def __init__(self, atoms: Iterable[str]) -> None:
        """Store facts or actions, given with or without parentheses."""
        text = "\n".join(atoms).lower()
        if "  " in text or "( " in text:
            text = "\n".join(" ".join(atom_of(line)) for line in text.split("\n"))
        self._text = f"\n{text}\n"

    def has(self, atoms: AtomSet) -> bool:
        """Return whether all ``atoms`` are stored here."""
        texts = (" ".join(atom) for atom in atoms)
        return all(f"\n({spelling})\n" in self._text or f"\n{spelling}\n" in self._text for spelling in texts)

    @property
    def first(self) -> str:
        """The first alternative, in parentheses; empty if there is none."""
        text = self._text.split("\n", 2)[1].strip("()")
        return f"({text})" if text else ""


def alternatives_of(row: Row) -> Alternatives:
    """Return all answers of a row: ``answer_all`` if present, because ``answer`` is capped."""
    complete = structured_value(row, "answer_all")
    return Alternatives(structured_value(row, "answer") if complete is None else complete)


def check_one(atoms: AtomSet, gold: Alternatives) -> Score:
    """Score an answer as right if it is one of ``gold``, or none and ``gold`` is empty."""
    if not atoms:
        return score_of(not gold.first, f"there is one, for example {gold.first}")
    return score_of(gold.has(atoms), f"{written(atoms)} is not an answer")
