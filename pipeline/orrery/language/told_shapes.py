"""From a shape in words back to the pairs of its relation: the inverse of ``shapes``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, permutations

from orrery.language.words import Words, macro_name
from orrery.model import Atom, Domain

NAMES_OF_SHAPES = ("complete", "grid", "ring", "line", "star", "mutual")
SIZE, TOLD = "qx0zq", "qx1zq"  # stand for what a passage says of one relation
MOST = 500  # wordings of a shape
BETWEEN = re.compile(r", | and ")
GRID = re.compile(r"(\d+) rows? and (\d+) columns?")


class ShapeReader:
    """Reads the shapes of the static relations of one domain."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare to read shapes in ``words``; patterns are made at first use."""
        self.words, self.domain = words, domain

    def read(self, text: str, names: Mapping[str, Sequence[str]]) -> tuple[list[Atom], str]:
        """Return the facts of the shapes that the text begins with, and what follows them.

        A passage that says no such shape is left, for others to read.
        """
        found: list[Atom] = []
        while (read := self._next(text, names)) is not None:
            facts, text = read
            found += facts
        return found, text

    def _next(self, text: str, names: Mapping[str, Sequence[str]]) -> tuple[list[Atom], str] | None:
        """Return the facts of the longest passage that the text begins with, and the rest."""
        matches = [
            (match.end(), predicate, shape, match)
            for predicate, shape, regex in self._patterns
            if (match := regex.match(text))
        ]
        for end, predicate, shape, match in sorted(matches, key=lambda each: -each[0]):
            said = match.groupdict()
            pairs = _pairs(shape, said.get("size") or "", said.get("told") or "", self._all(predicate, names))
            if pairs is not None:
                return [(predicate, *pair) for pair in pairs], text[end:].lstrip()
        return None

    def _all(self, predicate: str, names: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the objects that may stand in a relation."""
        types = self.domain.predicate_named[predicate].parameters[0].types
        kinds = [k for k in names if k in self.domain.ancestors and self.domain.fits((k,), types)]
        return sorted({name for kind in kinds for name in names[kind]})

    @cached_property
    def _patterns(self) -> list[tuple[str, str, re.Pattern[str]]]:
        return list(self._made())

    def _made(self) -> Iterator[tuple[str, str, re.Pattern[str]]]:
        for predicate in self.domain.predicates:
            complete = macro_name("complete", predicate.name)
            if complete in self.words.macros:
                for said in self.words.every(complete).every(MOST):
                    yield predicate.name, "complete", re.compile(re.escape(said) + r"(?= |$)")
            macro = macro_name("shape", predicate.name)
            if macro in self.words.macros:
                for shape in NAMES_OF_SHAPES:
                    for said in self.words.every(macro, shape, SIZE, TOLD).every(MOST):
                        if said:
                            regex = re.escape(said).replace(SIZE, r"(?P<size>[^.;:]+?)", 1)
                            regex = regex.replace(TOLD, r"(?P<told>[^.:]+?)", 1)
                            yield predicate.name, shape, re.compile(regex + r"(?= |$)")


def _pairs(shape: str, size: str, told: str, everything: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return the pairs of a relation; None where the shape cannot be as it is told."""
    lists = [BETWEEN.split(part) for part in told.split("; ")]
    if any(not re.fullmatch(r"[\w -]+", name) for row in lists for name in row) and shape != "complete":
        return None
    if shape == "complete":
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
