"""A task of the family: what it asks of a source, and the drafts of rows that it makes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from orrery.families.plans.source import Source

Columns: TypeAlias = dict[str, Any]


class Draft(NamedTuple):
    """Rows that are kept together or not at all; of each stratum as many are kept as of the others.

    ``half`` says that the rows are kept only together with the other half of a pair: ``-7`` with ``+7``.
    """

    rows: tuple[Columns, ...]
    stratum: str = ""
    half: str = ""


class Rejected(NamedTuple):
    """A row that was not made, and the rule that it would break."""

    rule: str


Made: TypeAlias = Iterator[Draft | Rejected]


@dataclass(frozen=True)
class PlanTask:
    """A task; a module ``tasks/<name>.py`` offers it as ``TASK``.

    ``make`` draws rows on a source. ``gold`` writes the reply to a row that must score 1.0, from
    ``gold_columns``. ``largest`` is the share of the rows of one part (``fails``) that one stratum of it
    (``fails/2``) may have: rows are left out where more of them would make that stratum a good guess.
    """

    name: str
    make: Callable[[Source, random.Random], Made]
    gold: Callable[[Mapping[str, Any]], str]
    gold_columns: tuple[str, ...]
    largest: Fraction = Fraction(1)

    @property
    def table(self) -> str:
        """The name of its table."""
        return f"plan_{self.name}"


def plan_reply(row: Mapping[str, Any]) -> str:
    """Return the reply that gives the stored plan."""
    return "\n".join(["[PLAN]", *row["plan"], "[PLAN END]"])
