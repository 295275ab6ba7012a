"""Explicit texts, by reading them back to facts; and the grammar that a machine can check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from jinja2 import TemplateError

from orrery.language.read_back import NAME, Inverter
from orrery.language.words import WORDINGS_TRIED, Words, environment, form, names_by_type
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
FRAME = "texts/frame.j2"
MARKS = MappingProxyType({"objects": "\x01", "init": "\x02", "goal": "\x03"})
SLIPS = (
    (re.compile(r"(?<!\.)\.\.(?!\.)"), "a doubled full stop"),
    (re.compile(r" {2,}|\s[,.]|\(\s|\s\)"), "stray white space"),
    (re.compile(r"\{\{|\}\}|\{%|None(?! of\b)|Undefined"), "a trace of the template"),
)


class Reader(NamedTuple):
    """The patterns to read texts of a domain with, and the frames around the parts of a text."""

    inverter: Inverter
    frames: tuple[str, ...]

    @classmethod
    def of(cls, words: Words, domain: Domain) -> Reader:
        """Build the reader of texts in ``words``, with the frames of the template as patterns."""
        try:
            template = environment(words.templates).get_template(FRAME)
            frame = template.module.frame  # type: ignore[attr-defined]
            found = (str(frame(*MARKS.values(), variant)) for variant in range(WORDINGS_TRIED))
            return cls(Inverter(words, domain), tuple(dict.fromkeys(found)))
        except (TemplateError, AttributeError, TypeError) as error:
            where = str(words.templates / FRAME)
            mend = "it must define frame(objects, init, goal, variant)"
            raise OrreryError(where, str(error), mend) from error


class DomainTexts:
    """The texts of one problem; an initial state or goal that several share is read once."""

    def __init__(self, reader: Reader, problem: Problem) -> None:
        """Prepare to check texts of ``problem``."""
        self.reader, self.problem = reader, problem
        self.names = names_by_type(problem, reader.inverter.domain)
        self._counted = frozenset({*COUNTED, *(form(kind, 2) for kind in self.names)})
        self._read: dict[tuple[str, str], list[str]] = {}
        self._listings: set[str] = set()

    def check(self, row: Mapping[str, Any]) -> list[str]:
        """Return what is wrong with one text: facts missing or wrong, and slips of grammar."""
        text = row["natural_language"]
        found = [f"{slip}: ...{_around(text, match)}..." for slip, match in _slips(text, self._counted)]
        mixture = "-".join("abstract" if row[f"{part}_is_abstract"] else "explicit" for part in INIT_AND_GOAL)
        if row["mixture"] != mixture:
            found.append(f"is called {row['mixture']}, but the columns say {mixture}")
        for part in INIT_AND_GOAL:
            if row[f"{part}_text"] not in text:
                found.append(f"the {part} text is not in the whole text")
            if not row[f"{part}_is_abstract"]:
                found += self._misread(part, row[f"{part}_text"])
        return found + self._misframed(text, {part: row[f"{part}_text"] for part in INIT_AND_GOAL})

    def _misread(self, part: str, text: str) -> list[str]:
        """Return where the facts read back from an explicit text are not those of the problem."""
        if (part, text) not in self._read:
            wanted = literals(self.problem.init) if part == "init" else self.problem.goal
            self._read[part, text] = _misread(self.reader.inverter, part, text, wanted)
        return self._read[part, text]

    def _misframed(self, text: str, parts: Mapping[str, str]) -> list[str]:
        """Return a fault if the text holds more than a frame, objects, initial state and goal."""
        for frame in self.reader.frames:
            for part, passage in parts.items():
                frame = frame.replace(MARKS[part], passage)
            before, _, after = frame.partition(MARKS["objects"])
            middle = text.removeprefix(before).removesuffix(after)
            if before + middle + after == text and self._lists_objects(middle):
                return []
        return ["is not made of the objects, the initial state and the goal alone"]

    def _lists_objects(self, text: str) -> bool:
        """Return whether ``text`` names every object, in one of the wordings of the domain."""
        if text in self._listings:
            return True
        named = set(re.findall(NAME, text))
        if not named >= {typed.name for typed in self.problem.objects}:
            return False
        for variant in range(WORDINGS_TRIED):
            wording = self.reader.inverter.words.objects(self.names, variant)
            self._listings.add(wording)
            if wording == text:
                return True
        return False


@cache
def _plurals(counted: frozenset[str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the signs of a singular before one of the plural nouns ``counted``."""
    nouns = "|".join(sorted(map(re.escape, counted)))
    return (
        (re.compile(rf"\b(1|one) ({nouns})\b", re.IGNORECASE), "'1' with a plural"),
        (re.compile(rf"\ban? ({nouns})\b", re.IGNORECASE), "an article with a plural"),
    )


def _slips(text: str, counted: frozenset[str]) -> list[tuple[str, re.Match[str]]]:
    """Return each kind of slip with its first place in the text."""
    found = ((slip, pattern.search(text)) for pattern, slip in (*SLIPS, *_plurals(counted)))
    return [(slip, match) for slip, match in found if match]


def _around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - 20) : match.end() + 20]


def _misread(inverter: Inverter, part: str, text: str, wanted: frozenset[Literal]) -> list[str]:
    try:
        read = inverter.literals(text)
    except OrreryError as error:
        return [f"the {part} text cannot be read back: {error}"]
    return [
        *(f"the {part} text does not say {' '.join(fact.atom)}" for fact in sorted(wanted - read)),
        *(f"the {part} text wrongly says {' '.join(fact.atom)}" for fact in sorted(read - wanted)),
    ]
