"""Check explicit texts by reading them as facts, and check grammar by patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property, partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from orrery.checks.reading.contexts import ReadBack
from orrery.checks.reading.prose import ProseReader, prose_reader
from orrery.checks.reading.sentences import POINT, SentenceReader
from orrery.checks.reading.shapes import COMPLETE, ShapeReader
from orrery.checks.verdicts import differing
from orrery.language.choices import Digits, Wordings
from orrery.language.frame import MARKS, REGISTERS, every_frame
from orrery.language.words import Words, form, names_by_type
from orrery.model import Domain, Literal, OrreryError, Problem, literals

COUNTED = (
    "blocks",
    "towers",
    "cells",
    "places",
    "rooms",
    "hands",
    "steps",
    "times",
    "rows",
    "columns",
    "others",
)
INIT_AND_GOAL = ("init", "goal")
LISTINGS = 200  # lists of objects that are compared
PartReader: TypeAlias = Callable[[str, int], Iterator[int]]
SENTENCES, PROSE, SUMMARY = "sentences", "prose", "summary"
NO_PASSAGES: Mapping[str, Wordings] = MappingProxyType({})
NO_WORDINGS = Wordings.listed(())
SLIPS = (
    (re.compile(r"(?<!\.)\.\.(?!\.)"), "a doubled full stop"),
    (re.compile(r" {2,}|\s[,.]|\(\s|\s\)"), "stray white space"),
    (re.compile(r"\{\{|\}\}|\{%|None(?! of\b)|Undefined"), "a trace of the template"),
)


class Reader(NamedTuple):
    """The patterns to read texts of a domain with, and the frames around the parts of a text, by register."""

    inverter: SentenceReader
    told: ProseReader
    complete: ShapeReader
    frames: Mapping[str, Wordings]

    @classmethod
    def of(cls, words: Words, domain: Domain) -> Reader:
        """Build the reader of texts in ``words``; the frames of the template become patterns."""
        frames_of = {register: every_frame(words.templates, register) for register in REGISTERS}
        complete = ShapeReader(words, domain, (COMPLETE,))
        return cls(SentenceReader(words, domain), prose_reader(words, domain), complete, frames_of)


reader_of = cache(Reader.of)  # the patterns are costly, so that each process builds them once


class FrameReading(NamedTuple):
    """The register of a frame, and whether it or the list of objects in it is held out."""

    register: str
    held_out: bool


class DomainTexts:
    """The texts of one problem; an initial state or goal that several texts share is read once."""

    def __init__(self, reader: Reader, problem: Problem) -> None:
        """Prepare to check texts of ``problem``."""
        self.reader, self.problem = reader, problem
        self.names = names_by_type(problem, reader.inverter.domain)
        self._counted = counted_nouns(self.names)
        self.explicit = cache(self._explicit)
        self.read_to = 0  # how far reading came

    def check(self, row: Mapping[str, Any], passages: Mapping[str, Wordings] = NO_PASSAGES) -> list[str]:
        """Return the faults of one text: missing or wrong facts, and grammatical slips.

        ``passages`` are the wordings of the abstract parts, by part; an abstract part must be one of them.
        """
        text = row["natural_language"]
        faults = slips(text, self._counted)
        mixture = "-".join("abstract" if row[f"{part}_is_abstract"] else "explicit" for part in INIT_AND_GOAL)
        if row["mixture"] != mixture:
            faults.append(f"is called {row['mixture']}, but the columns say {mixture}")
        held_out = False
        for part in INIT_AND_GOAL:
            passage = row[f"{part}_text"]
            if passage not in text:
                faults.append(f"the {part} text is not in the whole text")
            if not row[f"{part}_is_abstract"]:
                read = self.explicit(part, passage, row["style"])
                faults += read.faults
                held_out |= read.held_out
            elif (way := passages.get(part, NO_WORDINGS).match(_spaced(passage))) is None:
                faults.append(f"the {part} text is no wording of its configuration")
            else:
                held_out |= passages[part].holds_out(way)
        if row["style"] not in ((SUMMARY,) if mixture == "abstract-abstract" else (SENTENCES, PROSE)):
            faults.append(f"style is {row['style']}, which says nothing of a text that is {mixture}")
        return faults + self._misframed(row, held_out)

    def _explicit(self, part: str, text: str, style: str) -> ReadBack:
        """Compare an explicit text with the facts of its part."""
        expected = self._facts_in_sentences if part == "init" else self.problem.goal
        at_once = self.reader.complete.read(_spaced(text.replace(POINT, " ")), self.names)
        try:
            if style == PROSE:
                statements, held_out = self.reader.told.read(at_once.rest, self.names)
            else:
                statements, _, held_out = self.reader.inverter.read(at_once.rest)
            statements += map(Literal, at_once.facts)
        except OrreryError as error:
            return ReadBack([f"the {part} text cannot be read back: {error}"], False)
        read = frozenset(statements)
        faults = [f"the {part} text does not say {' '.join(fact.atom)}" for fact in sorted(expected - read)]
        faults += [f"the {part} text wrongly says {' '.join(fact.atom)}" for fact in sorted(read - expected)]
        if len(statements) != len(read):
            faults.append(f"the {part} text says the same twice")
        return ReadBack(faults, held_out or at_once.held_out)

    @cached_property
    def _facts_in_sentences(self) -> frozenset[Literal]:
        """The facts of the initial state that the list of objects does not state."""
        return literals(fact for fact in self.problem.init if fact[0] not in self._kinds)

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """The static predicates of one argument whose facts the list of objects states.

        The list differs if one object of the kind is gone. The renderer decides this by its own function.
        """
        domain, every = self.reader.inverter.domain, self.reader.inverter.words.every
        unary = (p.name for p in domain.predicates if p.arity == 1 and p.name not in domain.fluents)
        members = {kind: self.names[kind] for kind in unary if self.names.get(kind)}
        listings = set(self._listings.every(LISTINGS))
        return frozenset(
            kind
            for kind, names in members.items()
            if listings.isdisjoint(every("objects", {**self.names, kind: names[1:]}).every(LISTINGS))
        )

    @cached_property
    def _listings(self) -> Wordings:
        """All wordings of the list of objects."""
        return self.reader.inverter.words.every("objects", self.names)

    def _misframed(self, row: Mapping[str, Any], held_out: bool) -> list[str]:
        """Return a fault if the text is not exactly a frame, objects, initial state and goal.

        Also return a fault if its register, or the statement on held-out wordings, is wrong.
        """
        parts = {part: partial(_stands, _spaced(row[f"{part}_text"])) for part in INIT_AND_GOAL}
        for frame in self.frames(_spaced(row["natural_language"]), parts):
            stated = {"register": frame.register, "unseen_templates": int(held_out or frame.held_out)}
            return differing(stated, row)
        return ["is not made of the objects, the initial state and the goal alone"]

    def frames(self, text: str, parts: Mapping[str, PartReader]) -> Iterator[FrameReading]:
        """Yield each frame around the objects and the ``parts`` that the whole text is, in single spaces.

        Of each part, ``parts`` say where it ends, from a place in the text.
        """
        self.read_to, lists = 0, dict[int, Digits]()

        def ends_of_list(text: str, at: int) -> Iterator[int]:
            for end, way in self._listings.ends(text, at):
                lists[end - at] = way
                yield end

        def ends_of_part(read: PartReader, text: str, at: int) -> Iterator[int]:
            for end in read(text, at):
                self.read_to = max(self.read_to, end)
                yield end

        around = zip(MARKS, (ends_of_list, *(parts[part] for part in INIT_AND_GOAL)), strict=True)
        readers = {mark: partial(ends_of_part, read) for mark, read in around}
        for register, frames in self.reader.frames.items():
            for end, way in frames.ends(text, 0, readers):
                if end == len(text):
                    held_out = frames.holds_out(way) or self._listings.holds_out(lists[max(lists)])
                    yield FrameReading(register, held_out)


def _stands(part: str, text: str, at: int) -> Iterator[int]:
    """Yield the end of ``part``, if it occurs in the text at ``at``."""
    if text.startswith(part, at):
        yield at + len(part)


def _spaced(text: str) -> str:
    """Return the text with single spaces."""
    return " ".join(text.split())


@cache
def _plurals(counted: frozenset[str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return patterns for a singular before one of the plural nouns ``counted``."""
    nouns = "|".join(sorted(map(re.escape, counted)))
    return (
        (re.compile(rf"\b(1|one) ({nouns})\b", re.IGNORECASE), "'1' with a plural"),
        (re.compile(rf"\ban? ({nouns})\b", re.IGNORECASE), "an article with a plural"),
    )


def counted_nouns(kinds: Iterable[str]) -> frozenset[str]:
    """Return the plural nouns of the kinds of objects and of what texts count."""
    return frozenset({*COUNTED, *(form(kind, 2) for kind in kinds)})


def slips(text: str, counted: frozenset[str]) -> list[str]:
    """Return a line for each kind of slip in the text, with its first occurrence."""
    matches = ((slip, pattern.search(text)) for pattern, slip in (*SLIPS, *_plurals(counted)))
    return [
        f"{slip}: ...{text[max(0, match.start() - 20) : match.end() + 20]}..."
        for slip, match in matches
        if match
    ]
