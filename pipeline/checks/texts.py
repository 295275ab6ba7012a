"""Explicit texts, by reading them back to facts; and the grammar that a machine can check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pipeline.inversion import Inverter
from pipeline.model import Literal, OrreryError, Problem, literals

COUNTED = "blocks|balls|rooms|towers|grippers|tiles|cars|places|colors|robots|locations|objects"
SLIPS = (
    (re.compile(r"(?<!\.)\.\.(?!\.)"), "a doubled full stop"),
    (re.compile(rf"\b(1|one) ({COUNTED})\b"), "'1' with a plural"),
    (re.compile(rf"\ban? ({COUNTED})\b"), "an article with a plural"),
    (re.compile(r" {2,}|\s[,.]|\(\s|\s\)"), "stray white space"),
    (re.compile(r"\{\{|\}\}|\{%|None|Undefined"), "a trace of the template"),
)


def check(inverter: Inverter, problem: Problem, row: Mapping[str, Any]) -> list[str]:
    """What is wrong with one text: facts that it does not say, or says wrongly, and slips of grammar."""
    found = [f"{slip}: ...{_around(row['natural_language'], match)}..." for slip, match in _slips(row)]
    said = {"init": literals(problem.init), "goal": problem.goal}
    for side, wanted in said.items():
        if row[f"{side}_text"] not in row["natural_language"]:
            found.append(f"the {side} text is not in the whole text")
        if not row[f"{side}_is_abstract"]:
            found += _misread(inverter, side, row[f"{side}_text"], wanted)
    return found


def _slips(row: Mapping[str, Any]) -> list[tuple[str, re.Match[str]]]:
    """Each kind of slip with its first place in the text."""
    found = ((slip, pattern.search(row["natural_language"])) for pattern, slip in SLIPS)
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
