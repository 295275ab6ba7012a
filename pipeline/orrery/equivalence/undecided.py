"""The named outcome of a question that a budget left open, and how the budget's end is said on the way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undecided:
    """No answer, and why; never to be read as "no"."""

    reason: str


class BudgetSpent(Exception):
    """A search has taken as many steps as it may."""


class LeftOpen(Exception):
    """A budget ended before an answer; says what stayed open."""
