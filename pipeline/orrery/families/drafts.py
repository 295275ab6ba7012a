"""Drafts: rows that a task offers for a state, or the reason for offering none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

OPEN, BOOL, MCQ = "gen", "bool", "mcq"  # the formats of questions, used as suffixes of table names

Columns: TypeAlias = dict[str, Any]
Shifts: TypeAlias = tuple[tuple[str, int], ...]


class Draft(NamedTuple):
    """Rows that are kept or dropped together, with the data for this decision.

    The same number of rows is kept for each ``stratum``. ``half`` marks one half of a pair, which is kept
    only with the other half: ``-7`` with ``+7``. ``shifts`` gives the change of the balance of features and
    heuristic rules by these rows. ``leans`` gives the measures of rules on a claim, or on the correct option
    compared with the others. ``matched`` tells whether the options of a choice have equal features. ``claim``
    identifies the claim.
    """

    rows: tuple[Columns, ...]
    stratum: str = ""
    half: str = ""
    shifts: Shifts = ()
    leans: Shifts = ()
    matched: bool = True
    claim: str = ""


class Rejected(Exception):
    """The reason why no rows are made, in words that can be counted; it may be raised or yielded."""

    @property
    def reason(self) -> str:
        """The reason."""
        return str(self)


Drafts: TypeAlias = Iterator[Draft | Rejected]
DraftsByFormat: TypeAlias = dict[str, list[Draft] | Rejected]
