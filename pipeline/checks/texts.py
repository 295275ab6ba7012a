"""Explicit texts, by reading them back to facts; and the grammar that a machine can check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pipeline.inversion import Inverter
from pipeline.model import Literal, OrreryError, Problem, literals
from pipeline.words import form, names_by_type

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
SLIPS = (
    (re.compile(r"(?<!\.)\.\.(?!\.)"), "a doubled full stop"),
    (re.compile(r" {2,}|\s[,.]|\(\s|\s\)"), "stray white space"),
    (re.compile(r"\{\{|\}\}|\{%|None|Undefined"), "a trace of the template"),
)


def check(inverter: Inverter, problem: Problem, row: Mapping[str, Any]) -> list[str]:
    """What is wrong with one text: facts that it does not say, or says wrongly, and slips of grammar."""
    text, counted = row["natural_language"], _counted(names_by_type(problem, inverter.domain))
    found = [f"{slip}: ...{_around(text, match)}..." for slip, match in _slips(text, counted)]
    said = {"init": literals(problem.init), "goal": problem.goal}
    told = "-".join("abstract" if row[f"{side}_is_abstract"] else "explicit" for side in said)
    if row["mixture"] != told:
        found.append(f"is called {row['mixture']}, but the columns say {told}")
    for side, wanted in said.items():
        if row[f"{side}_text"] not in text:
            found.append(f"the {side} text is not in the whole text")
        if not row[f"{side}_is_abstract"]:
            found += _misread(inverter, side, row[f"{side}_text"], wanted)
    return found


@cache
def _plurals(counted: frozenset[str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What betrays a singular before one of the plural nouns ``counted``."""
    nouns = "|".join(sorted(map(re.escape, counted)))
    return (
        (re.compile(rf"\b(1|one) ({nouns})\b", re.IGNORECASE), "'1' with a plural"),
        (re.compile(rf"\ban? ({nouns})\b", re.IGNORECASE), "an article with a plural"),
    )


def _counted(kinds: Iterable[str]) -> frozenset[str]:
    """The plural nouns that a text may count: those of the domain's kinds of objects, and common ones."""
    return frozenset({*COUNTED, *(form(kind, 2) for kind in kinds)})


def _slips(text: str, counted: frozenset[str]) -> list[tuple[str, re.Match[str]]]:
    """Each kind of slip with its first place in the text."""
    found = ((slip, pattern.search(text)) for pattern, slip in (*SLIPS, *_plurals(counted)))
    return [(slip, match) for slip, match in found if match]


def _around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - 20) : match.end() + 20]


def _misread(inverter: Inverter, side: str, text: str, wanted: frozenset[Literal]) -> list[str]:
    """Where the facts read back from an explicit text are not those of the problem."""
    try:
        read = inverter.literals(text)
    except OrreryError as error:
        return [f"the {side} text cannot be read back: {error}"]
    return [
        *(f"the {side} text does not say {' '.join(fact.atom)}" for fact in sorted(wanted - read)),
        *(f"the {side} text wrongly says {' '.join(fact.atom)}" for fact in sorted(read - wanted)),
    ]
