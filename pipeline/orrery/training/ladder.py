"""A level of difficulty that follows the reported success of a model."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from orrery.model import UsageError


@dataclass(frozen=True)
class LadderRules:
    """When a level changes: shares of successes at which it rises and falls, and reports per decision.

    When a window of reports is full, the level rises if the share of successes is at least ``raise_at``, and
    falls if it is at most ``lower_at``. Otherwise the window moves on.
    """

    raise_at: float = 0.7
    lower_at: float = 0.3
    window: int = 50

    def __post_init__(self) -> None:
        """Refuse thresholds and windows that are not possible.

        Raises:
            UsageError: they are not.
        """
        if not 0 <= self.lower_at < self.raise_at <= 1:
            raise UsageError(
                f"raise_at {self.raise_at}, lower_at {self.lower_at}",
                "are invalid thresholds",
                "give 0 <= lower_at < raise_at <= 1",
            )
        if self.window < 1:
            raise UsageError(f"window {self.window}", "is too small to contain a report", "give 1 or more")


class Ladder:
    """A level from 0 to ``top``, with the window of reports at this level."""

    def __init__(self, rules: LadderRules, top: int, level: int = 0, recent: Iterable[float] = ()) -> None:
        """Start at a level, with the reports ``recent``."""
        self.rules, self.top, self.level, self.recent = rules, top, level, deque(recent)

    @property
    def rate(self) -> float | None:
        """The share of successes in the window; None if it is empty."""
        return math.fsum(self.recent) / len(self.recent) if self.recent else None

    def report(self, value: float) -> None:
        """Record a success as a number from 0 to 1, and decide if the window is full."""
        self.recent.append(value)
        if len(self.recent) > self.rules.window:
            self.recent.popleft()
        if len(self.recent) < self.rules.window:
            return
        rate = math.fsum(self.recent) / self.rules.window
        if rate >= self.rules.raise_at and self.level < self.top:
            self.move(self.level + 1)
        elif rate <= self.rules.lower_at and self.level > 0:
            self.move(self.level - 1)

    def drop(self) -> None:
        """Remove the present level and those above it, and go one level down."""
        self.top = self.level - 1
        self.move(self.top)

    def move(self, level: int) -> None:
        """Set the level and clear the window."""
        self.level = level
        self.recent.clear()
