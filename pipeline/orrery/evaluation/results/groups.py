"""What rows of scores are grouped by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from orrery.store.columns import Row

# Plans as long as these, and longer than those of the bin before.
LONGEST = (0, 2, 5, 10, 20, 50)


def plan_length_bin(length: int | None) -> str | None:
    """Return the bin of a plan's number of steps, such as ``6-10``; None where there is no plan."""
    if length is None:
        return None
    low = 0
    for high in LONGEST:
        if length <= high:
            return str(high) if low == high else f"{low}-{high}"
        low = high + 1
    return f"{low} or more"


def _of_plan(row: Row) -> str | None:
    return plan_length_bin(row["plan_length"])


GROUPS: Mapping[str, Callable[[Row], Any]] = MappingProxyType(
    {
        "table": itemgetter("table"),
        "domain": itemgetter("domain"),
        "kind": itemgetter("kind"),
        "format": itemgetter("format"),
        "plan_length": _of_plan,
        "representation": itemgetter("representation"),
        "difficulty": itemgetter("difficulty"),
    }
)


def group_of(row: Row, group: str) -> str | None:
    """Return what a row belongs to in one of ``GROUPS``; None where it has no such property."""
    value = GROUPS[group](row)
    return str(value) if value not in (None, "") else None


def in_order(group: str, values: list[str]) -> list[str]:
    """Return values of a group sorted: lengths of plans by their size, others as text."""
    if group != "plan_length":
        return sorted(values)
    return sorted(values, key=lambda value: int(value.split()[0].partition("-")[0]))
