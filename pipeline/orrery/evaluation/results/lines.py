"""Figures as text: shares with their intervals, and columns that stand below each other."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.evaluation.results.statistics import Interval


def percent(interval: Interval | None, *, signed: bool = False) -> str:
    """Return ``93.1 (90.2-95.3)`` for a share, in %; ``+2.0 (-1.0 to +5.0)`` for a difference of shares."""
    if interval is None:
        return "-"
    if signed:
        value, low, high = (f"{100 * figure:+.1f}" for figure in interval)
        return f"{value} ({low} to {high})"
    value, low, high = (f"{100 * figure:.1f}" for figure in interval)
    return f"{value} ({low}-{high})"


def aligned(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for the names and one for each row: the first column to the left, others to the right."""
    cells = [list(names), *(list(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        for row in cells
    ]


def as_chance(value: float) -> str:
    """Return a p-value with as many digits as are read, such as ``0.031`` or ``<0.0001``."""
    return "<0.0001" if value < 0.0001 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"
