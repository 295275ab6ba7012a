"""The named outcome of a question that a budget left open, and the exceptions that report it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undecided:
    """No answer, and why; never to be read as "no"."""

    reason: str


class BudgetSpent(Exception):
    """A search has used up its budget of steps."""


class LeftOpen(Exception):
    """A budget ended before an answer; the message says what stayed open."""
