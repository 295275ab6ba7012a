"""What a drawer is given: the facts to state, those that lie beneath, and what is to be pointed out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orrery.model import Atom, Problem, State
from orrery.pictures.svg import Shape, fitting, group

MARGIN, WIDEST = 28, 1240
ROOM = WIDEST - 2 * MARGIN


def natural(name: str) -> tuple[int, str]:
    """Return what names are sorted by: b2 before b10."""
    return len(name), name


@dataclass(frozen=True)
class View:
    """Facts of a problem to be drawn as a description says, within ``room`` pixels across.

    ``ground`` are facts that hold but are not what the picture states: what never changes, below a goal. A
    ``partial`` view says nothing about facts that it does not state. ``fresh`` facts and the objects that are
    ``asked`` about are pointed out. Outer boxes named in ``least`` are at least so wide and high.
    """

    facts: State
    problem: Problem
    picture: Mapping[str, Any]
    room: float = ROOM
    ground: State = frozenset()
    partial: bool = False
    fresh: State = frozenset()
    asked: frozenset[str] = frozenset()
    least: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def mark(self, shapes: Iterable[Shape], *facts: Atom) -> Shape:
        """Return the shapes as one that states ``facts``; pale, where they only lie beneath."""
        drawn_facts = self.facts.intersection(facts)
        parts = [*shapes]
        below = facts and not drawn_facts and not any(part.facts for part in parts)
        return group(parts, drawn_facts, "new" if drawn_facts & self.fresh else "ground" if below else "")

    def name(
        self, x: float, y: float, text: str, width: float, look: str = "", size: float = 13,
        anchor: str = "middle",
    ) -> Shape:  # fmt: skip
        """Return a text that fits a width, pointed out if it is the name of an object asked about."""
        return fitting(
            x, y, text, width, f"{look} asked".strip() if text in self.asked else look, size, anchor
        )

    def of(self, *predicates: str | None) -> list[Atom]:
        """Return the facts of some predicates, beneath or not, sorted."""
        return sorted(fact for fact in self.facts | self.ground if fact[0] in predicates)

    def objects(self, *types: str) -> list[str]:
        """Return the names of the objects of some types, or of what static unary predicates call so."""
        typed = {typed.name for typed in self.problem.objects if not {*types}.isdisjoint(typed.types)}
        called = {fact[1] for fact in self.problem.init if fact[0] in types and len(fact) == 2}
        return sorted(typed | called, key=natural)


def filled(text: Any, fact: Atom) -> str:
    """Return a text of a description with the arguments of a fact in the place of ``{1}``, ``{2}``.

    Raises:
        KeyError: the fact has no such argument.
    """

    def argument(match: re.Match[str]) -> str:
        number = int(match[1])
        if number >= len(fact):
            raise KeyError(f"argument {number} of {fact[0]}")
        return fact[number]

    return re.sub(r"\{(\d+)\}", argument, str(text))


def names(value: Any) -> list[str]:
    """Return what a key of a description names: nothing, one thing or a list."""
    return list(value) if isinstance(value, list) else [value] if value else []
