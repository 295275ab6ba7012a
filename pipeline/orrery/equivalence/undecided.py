"""The named outcome of a question that a budget left open."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undecided:
    """No answer, and why; never to be read as "no"."""

    reason: str
