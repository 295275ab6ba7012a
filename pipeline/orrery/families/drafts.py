"""Drafts: rows that a task offers for a state, or the reason why it offers none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

OPEN, BOOL, MCQ = "gen", "bool", "mcq"  # the formats of questions, in which the names of their tables end

Columns: TypeAlias = dict[str, Any]
Shifts: TypeAlias = tuple[tuple[str, int], ...]


class Draft(NamedTuple):
    """Rows that are kept together or not at all, with what decides whether they are kept.

    Of each ``stratum`` as many rows are kept as of the others. ``half`` marks half of a pair, kept only with
    its other half: ``-7`` with ``+7``. ``shifts`` says how the rows change the balance of features and rules
    of thumb, ``leans`` what rules measure of a claim, or of the right option among the others. ``matched``
    says whether the options of a choice match; ``claim`` tells the claim from others.
    """

    rows: tuple[Columns, ...]
    stratum: str = ""
    half: str = ""
    shifts: Shifts = ()
    leans: Shifts = ()
    matched: bool = True
    claim: str = ""


class Rejected(NamedTuple):
    """The reason why rows are not made, in words that can be counted."""

    reason: str


Drafts: TypeAlias = Iterator[Draft | Rejected]
DraftsByFormat: TypeAlias = dict[str, list[Draft] | Rejected]
