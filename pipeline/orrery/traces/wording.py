"""Traces in the words of their row."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from orrery.grading.row import value
from orrery.grading.traces.lines import literals_of
from orrery.grading.traces.phrases import RowPhrases
from orrery.model import Atom, Row

_LITERAL = re.compile(r"\(not \([^()]+\)\)|\([^()]+\)")
_PLACE = re.compile(r"\{\d+\}")


def in_words(lines: Sequence[str], row: Row) -> list[str]:
    """Return lines with quoted phrases for facts and actions, if the row has wordings of them.

    Facts and actions without a phrase that is read back without doubt stay in PDDL.
    """
    stored = value(row, "nl_templates")
    if stored is None:
        return [*lines]
    speaker = _Speaker(row, json.loads(stored) if isinstance(stored, str) else stored)
    return [_LITERAL.sub(speaker.phrase, line) for line in lines]


class _Speaker:
    """Says facts and actions with the wordings that the texts of a row use."""

    def __init__(self, row: Row, templates: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self._phrases = RowPhrases(row)
        self._text = f"{value(row, 'context')}\n{value(row, 'question')}".lower()
        self._templates = {name: list(each) for part in templates.values() for name, each in part.items()}
        self._chosen: dict[Atom, str] = {}

    def phrase(self, literal: re.Match[str]) -> str:
        """Return a literal in quotes, or as it is."""
        ((atom, positive),) = literals_of(literal[0])
        if atom not in self._chosen:
            said = (template.format(*atom[1:]) for template in self._ordered(atom[0]))
            self._chosen[atom] = next((text for text in said if self._phrases.atom(text) == atom), "")
        text = self._chosen[atom]
        return f'{"" if positive else "not "}"{text}"' if text else literal[0]

    def _ordered(self, name: str) -> list[str]:
        """Return the wordings of a symbol; those whose words occur in the texts of the row come first."""
        templates = self._templates.get(name, [])
        return sorted(templates, key=lambda text: not self._occurs(text))

    def _occurs(self, template: str) -> bool:
        return all(part.strip() in self._text for part in _PLACE.split(template.lower()))
