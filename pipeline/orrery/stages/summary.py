"""The summary of a finished stage: counts of results, and of omitted items with reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SHOWN = 6  # counts per line


@dataclass(frozen=True)
class StageSummary:
    """Counts of results and of omitted items, by reason.

    ``partial`` names requested results that could not be made; ``--strict`` makes it an error. ``warnings``
    are messages on the input.
    """

    stage: str
    domain: str
    made: Mapping[str, int]
    left_out: Mapping[str, int] = field(default_factory=dict)
    partial: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return the summary as text, one line per fact."""
        title = f"{self.stage} {self.domain}".strip()
        lines = [f"{title}: {_counted(self.made)}"]
        lines += [
            f"{title}: left out {count}: {reason}" for reason, count in sorted(self.left_out.items()) if count
        ]
        return lines + self._warnings(title)

    def brief(self) -> list[str]:
        """Return one line with the results, and the warnings: for a stage over many domains."""
        title, counts = f"{self.stage} {self.domain}".strip(), self.made
        counted = f"{sum(counts.values())} rows" if len(counts) > SHOWN else _counted(counts)
        reasons = [count for count in self.left_out.values() if count]
        omitted = f"; left out {sum(reasons)}, for {_counted_reasons(len(reasons))}" if reasons else ""
        return [f"{title}: {counted}{omitted}", *self._warnings(title)]

    def _warnings(self, title: str) -> list[str]:
        return [f"{title}: warning: {missing}" for missing in (*self.partial, *self.warnings)]


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing to do"


def _counted_reasons(number: int) -> str:
    return "one reason" if number == 1 else f"{number} reasons"
