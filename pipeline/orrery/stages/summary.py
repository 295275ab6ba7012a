"""The report of a finished stage: how much it made, what it left out, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class StageSummary:
    """Counts of what was made and of what was left out, by reason.

    ``partial`` names what was asked for and could not be made; ``--strict`` makes it fatal.
    """

    stage: str
    domain: str
    made: Mapping[str, int]
    left_out: Mapping[str, int] = field(default_factory=dict)
    partial: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return the summary as text, a line a fact."""
        title = f"{self.stage} {self.domain}".strip()
        made = ", ".join(f"{count} {what}" for what, count in self.made.items())
        found = [f"{title}: {made or 'nothing to do'}"]
        found += [
            f"{title}: left out {count}: {reason}" for reason, count in sorted(self.left_out.items()) if count
        ]
        return found + [f"{title}: warning: {missing}" for missing in self.partial]


def by_reason(rejects: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many rejects there are for each reason."""
    return dict(Counter(row["reason"] for row in rejects))
