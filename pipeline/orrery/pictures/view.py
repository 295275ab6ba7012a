"""A panel of a picture: facts to state, background facts, and what to highlight."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orrery.model import Atom, Problem, State
from orrery.pictures.svg import Shape, fitting, group

MARGIN, WIDEST, APART = 28, 1240, 40
ROOM = WIDEST - 2 * MARGIN
HALF = (ROOM - APART) / 2


def natural(name: str) -> tuple[int, str]:
    """Return the sort key for the natural order of names: b2 before b10."""
    return len(name), name


@dataclass(frozen=True)
class View:
    """Facts of a problem to draw by a description, within ``room`` pixels of width.

    ``ground`` are background facts: they hold, but the picture does not state them. Below a goal, these are
    the static facts. A ``partial`` view says nothing about facts that it does not state. ``fresh`` facts and
    the objects in ``asked`` are highlighted. ``least`` gives the minimum width and height of outer boxes.

    The panel also has a title, the facts that must ``never`` hold, and lines of ``notes``. Facts are listed
    if the panel is not ``drawn``.
    """

    facts: State
    problem: Problem
    picture: Mapping[str, Any]
    room: float = HALF
    ground: State = frozenset()
    partial: bool = False
    fresh: State = frozenset()
    asked: frozenset[str] = frozenset()
    least: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    title: str = ""
    never: State = frozenset()
    notes: tuple[str, ...] = ()
    drawn: bool = True

    def mark(self, shapes: Iterable[Shape], *facts: Atom) -> Shape:
        """Combine shapes into one that states ``facts``. It is pale if all of them are background facts."""
        drawn_facts = self.facts.intersection(facts)
        parts = [*shapes]
        below = facts and not drawn_facts and not any(part.facts for part in parts)
        return group(parts, drawn_facts, "new" if drawn_facts & self.fresh else "ground" if below else "")

    def name(
        self, x: float, y: float, text: str, width: float, look: str = "", size: float = 13,
        anchor: str = "middle",
    ) -> Shape:  # fmt: skip
        """Return a name that fits a width. It is highlighted if the question is about this object."""
        return fitting(
            x, y, text, width, f"{look} asked".strip() if text in self.asked else look, size, anchor
        )

    def of(self, *predicates: str | None) -> list[Atom]:
        """Return the facts of some predicates, background facts included, sorted."""
        return sorted(fact for fact in self.facts | self.ground if fact[0] in predicates)

    def objects(self, *types: str) -> list[str]:
        """Return the names of the objects of the given types or static unary predicates."""
        typed = {typed.name for typed in self.problem.objects if not {*types}.isdisjoint(typed.types)}
        called = {fact[1] for fact in self.problem.init if fact[0] in types and len(fact) == 2}
        return sorted(typed | called, key=natural)


def filled(text: Any, fact: Atom) -> str:
    """Replace ``{1}``, ``{2}`` in a text of a description by the arguments of a fact.

    Raises:
        KeyError: the fact has no such argument.
    """

    def argument(match: re.Match[str]) -> str:
        number = int(match[1])
        if not 0 < number < len(fact):
            raise KeyError(f"argument {number} of {fact[0]}")
        return fact[number]

    return re.sub(r"\{(\d+)\}", argument, str(text))


def names(value: Any) -> list[str]:
    """Return the value of a key as a list: empty, one name, or several names."""
    return list(value) if isinstance(value, list) else [value] if value else []
