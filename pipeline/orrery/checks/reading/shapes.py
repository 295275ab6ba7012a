"""Read descriptions of shapes (paths, rings, grids) as the facts of their relation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise, permutations
from typing import NamedTuple

from orrery.language.words import Words, macro_name
from orrery.model import Atom, Domain

COMPLETE = "complete"
SHAPES = (COMPLETE, "grid", "ring", "line", "star", "mutual")
SIZE, NAMES = "qx0zq", "qx1zq"  # marks that replace the variable parts of a description
MOST = 500  # wordings of a shape
BETWEEN = re.compile(r", | and ")
GRID = re.compile(r"(\d+) rows? and (\d+) columns?")

Pairs = list[tuple[str, str]]


class ReadShapes(NamedTuple):
    """The rest of a text, the facts of the shapes before it, and whether their wording is held out."""

    rest: str
    facts: list[Atom]
    held_out: bool


class _ShapePattern(NamedTuple):
    predicate: str
    shape: str
    regex: re.Pattern[str]
    held_out: bool


class ShapeReader:
    """Reads the shapes of the static relations of one domain."""

    def __init__(self, words: Words, domain: Domain, shapes: Collection[str] = SHAPES) -> None:
        """Prepare to read some ``shapes``; patterns are built at first use."""
        self.words, self.domain, self.shapes = words, domain, shapes

    def read(self, text: str, names: Mapping[str, Sequence[str]]) -> ReadShapes:
        """Return the facts of the shapes at the beginning of a text in single spaces, and the rest of it."""
        facts, held_out = list[Atom](), False
        while (shape := self._first(text, names)) is not None:
            text, held_out = shape.rest, held_out or shape.held_out
            facts += shape.facts
        return ReadShapes(text, facts, held_out)

    def _first(self, text: str, names: Mapping[str, Sequence[str]]) -> ReadShapes | None:
        """Return the facts of the longest passage at the beginning; ordinary wording is preferred."""
        matches = [(match, p) for p in self._patterns if (match := p.regex.match(text))]
        for match, pattern in sorted(matches, key=lambda read: (-read[0].end(), read[1].held_out)):
            parts, objects = match.groupdict(), self._objects(pattern.predicate, names)
            pairs = _pairs(pattern.shape, parts.get("size") or "", parts.get("names") or "", objects)
            if pairs is not None:
                facts: list[Atom] = [(pattern.predicate, *pair) for pair in pairs]
                return ReadShapes(text[match.end() :].lstrip(), facts, pattern.held_out)
        return None

    def _objects(self, predicate: str, names: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the possible objects of a relation."""
        types = self.domain.predicate_named[predicate].parameters[0].types
        kinds = [k for k in names if k in self.domain.ancestors and self.domain.fits((k,), types)]
        return sorted({name for kind in kinds for name in names[kind]})

    @cached_property
    def _patterns(self) -> list[_ShapePattern]:
        return list(self._shape_patterns())

    def _shape_patterns(self) -> Iterator[_ShapePattern]:
        for predicate in self.domain.predicates:
            for shape in self.shapes:
                for wording, held_out in self._wordings(predicate.name, shape).items():
                    regex = re.escape(wording).replace(SIZE, r"(?P<size>[^.;:]+?)", 1)
                    regex = regex.replace(NAMES, r"(?P<names>[^.:]+?)", 1)
                    yield _ShapePattern(predicate.name, shape, re.compile(regex + r"(?= |$)"), held_out)

    def _wordings(self, predicate: str, shape: str) -> Mapping[str, bool]:
        """Return the wordings of a shape, and whether each is held out."""
        held_out_by_text: dict[str, bool] = {}
        macros: list[tuple[str, ...]] = [(macro_name("shape", predicate), shape, SIZE, NAMES)]
        macros += [(macro_name(COMPLETE, predicate),)] if shape == COMPLETE else []
        for macro, *arguments in macros:
            if macro in self.words.macros:
                wordings = self.words.every(macro, *arguments)
                for path in islice(wordings.paths(), MOST):
                    text, held_out = wordings.said(path), wordings.holds_out(path)
                    held_out_by_text[text] = held_out_by_text.get(text, True) and held_out
        return {text: held_out for text, held_out in held_out_by_text.items() if text}


def _pairs(shape: str, size: str, names: str, objects: Sequence[str]) -> Pairs | None:
    """Return the pairs of a relation; None if the words do not describe such a shape."""
    rows = [BETWEEN.split(part) for part in names.split("; ")]
    if shape == COMPLETE:
        return list(permutations(objects, 2))
    if any(not re.fullmatch(r"[\w -]+", name) for row in rows for name in row):
        return None
    if shape == "mutual":
        pairs = [pair for part in names.split("; ") for pair in _neighbours(part)]
    elif shape == "star":
        pairs = [(size, name) for name in rows[0]]
    elif shape in ("line", "ring"):
        pairs = [*pairwise(rows[0]), *([(rows[0][-1], rows[0][0])] if shape == "ring" else [])]
    else:
        pairs = [pair for row in rows for pair in pairwise(row)]
        pairs += [pair for row, below in pairwise(rows) for pair in zip(row, below, strict=False)]
        stated = GRID.fullmatch(size)
        if stated is None or {len(row) for row in rows} != {int(stated[2])} or len(rows) != int(stated[1]):
            return None
    return [*pairs, *((second, first) for first, second in pairs)]


def _neighbours(part: str) -> Pairs:
    """Return the pairs in "a with b, c and d"."""
    name, _, neighbours = part.partition(" with ")
    return [(name, neighbour) for neighbour in BETWEEN.split(neighbours)]
