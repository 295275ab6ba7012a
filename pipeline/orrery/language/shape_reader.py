"""From a shape in words back to the pairs of its relation: the inverse of ``shapes``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise, permutations
from typing import NamedTuple

from orrery.language.words import Words, macro_name
from orrery.model import Atom, Domain

COMPLETE = "complete"
NAMES_OF_SHAPES = (COMPLETE, "grid", "ring", "line", "star", "mutual")
SIZE, TOLD = "qx0zq", "qx1zq"  # stand for what a passage says of one relation
MOST = 500  # wordings of a shape
BETWEEN = re.compile(r", | and ")
GRID = re.compile(r"(\d+) rows? and (\d+) columns?")


class Read(NamedTuple):
    """What is left of a text, the facts of the shapes that it began with, and whether wording is held out."""

    rest: str
    facts: list[Atom]
    held_out: bool


class _Pattern(NamedTuple):
    predicate: str
    shape: str
    regex: re.Pattern[str]
    held_out: bool


class ShapeReader:
    """Reads the shapes of the static relations of one domain."""

    def __init__(self, words: Words, domain: Domain, shapes: Collection[str] = NAMES_OF_SHAPES) -> None:
        """Prepare to read some ``shapes`` in ``words``; patterns are made at first use."""
        self.words, self.domain, self.shapes = words, domain, shapes

    def read(self, text: str, names: Mapping[str, Sequence[str]]) -> Read:
        """Return the facts of the shapes that a text in single spaces begins with, and what follows them.

        A passage that says no such shape is left, for others to read.
        """
        found, held_out = list[Atom](), False
        while (read := self._next(text, names)) is not None:
            text, held_out = read.rest, held_out or read.held_out
            found += read.facts
        return Read(text, found, held_out)

    def _next(self, text: str, names: Mapping[str, Sequence[str]]) -> Read | None:
        """Return the facts of the longest passage that the text begins with, and the rest.

        Of equally long ones those come first that any split may have.
        """
        matches = [(match, each) for each in self._patterns if (match := each.regex.match(text))]
        for match, pattern in sorted(matches, key=lambda found: (-found[0].end(), found[1].held_out)):
            predicate, shape, _, held_out = pattern
            said = match.groupdict()
            pairs = _pairs(shape, said.get("size") or "", said.get("told") or "", self._all(predicate, names))
            if pairs is not None:
                return Read(text[match.end() :].lstrip(), [(predicate, *pair) for pair in pairs], held_out)
        return None

    def _all(self, predicate: str, names: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the objects that may stand in a relation."""
        types = self.domain.predicate_named[predicate].parameters[0].types
        kinds = [k for k in names if k in self.domain.ancestors and self.domain.fits((k,), types)]
        return sorted({name for kind in kinds for name in names[kind]})

    @cached_property
    def _patterns(self) -> list[_Pattern]:
        return list(self._made())

    def _made(self) -> Iterator[_Pattern]:
        for predicate in self.domain.predicates:
            for shape in self.shapes:
                for said, held_out in self._wordings(predicate.name, shape).items():
                    regex = re.escape(said).replace(SIZE, r"(?P<size>[^.;:]+?)", 1)
                    regex = regex.replace(TOLD, r"(?P<told>[^.:]+?)", 1)
                    yield _Pattern(predicate.name, shape, re.compile(regex + r"(?= |$)"), held_out)

    def _wordings(self, predicate: str, shape: str) -> Mapping[str, bool]:
        """Return the wordings of a shape, each with whether it is held out."""
        found: dict[str, bool] = {}
        macros: list[tuple[str, ...]] = [(macro_name("shape", predicate), shape, SIZE, TOLD)]
        macros += [(macro_name(COMPLETE, predicate),)] if shape == COMPLETE else []
        for macro, *arguments in macros:
            if macro in self.words.macros:
                every = self.words.every(macro, *arguments)
                for path in islice(every.paths(), MOST):
                    said = every.said(path)
                    found[said] = found.get(said, True) and every.holds_out(path)
        return {said: held_out for said, held_out in found.items() if said}


def _pairs(shape: str, size: str, told: str, everything: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return the pairs of a relation; None where the shape cannot be as it is told."""
    lists = [BETWEEN.split(part) for part in told.split("; ")]
    if any(not re.fullmatch(r"[\w -]+", name) for row in lists for name in row) and shape != COMPLETE:
        return None
    if shape == COMPLETE:
        return list(permutations(everything, 2))
    if shape == "mutual":
        once = [pair for part in told.split("; ") for pair in _with(part)]
    elif shape == "star":
        once = [(size, name) for name in lists[0]]
    elif shape in ("line", "ring"):
        once = [*pairwise(lists[0]), *([(lists[0][-1], lists[0][0])] if shape == "ring" else [])]
    else:
        once = [pair for row in lists for pair in pairwise(row)]
        once += [pair for row, below in pairwise(lists) for pair in zip(row, below, strict=False)]
        stated = GRID.fullmatch(size)
        if stated is None or {len(row) for row in lists} != {int(stated[2])} or len(lists) != int(stated[1]):
            return None
    return [*once, *((two, one) for one, two in once)]


def _with(part: str) -> list[tuple[str, str]]:
    """Return the pairs of "a with b, c and d"."""
    name, _, others = part.partition(" with ")
    return [(name, other) for other in BETWEEN.split(others)]
