"""The interface of a grader for a group of rows about plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..row import Row
from ..score import Score, UnreadableAnswer


@dataclass(frozen=True, slots=True)
class PlanGrader:
    """The functions that read and check whole replies to the questions of one group.

    ``read`` finds the answer in a reply, or raises UnreadableAnswer; ``check`` takes what it has found, and
    the row. ``parts`` names the finer scores, which are 0 where no answer is read.
    """

    read: Callable[[str, Row], Any]
    check: Callable[[Any, Row], Score]
    parts: tuple[str, ...] = ()

    def grade(self, reply: str, row: Row) -> Score:
        """Return the verdict on a reply."""
        try:
            found = self.read(reply, row)
        except UnreadableAnswer as reason:
            return Score(0.0, "unparsed", str(reason), dict.fromkeys(self.parts, 0.0))
        return self.check(found, row)
