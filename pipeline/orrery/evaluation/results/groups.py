"""Groups of rows of scores: each is a property of the row in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

BOUNDS = (0, 2, 5, 10, 20, 50)  # the maximum plan length of each bin; longer plans have their own bin


def _bins() -> str:
    """Return the SQL for the bin of a plan length, for example ``6-10``."""
    cases, least = [], 0
    for most in BOUNDS:
        name = str(most) if least == most else f"{least}-{most}"
        cases.append(f"when plan_length <= {most} then '{name}'")
        least = most + 1
    return f"case {' '.join(cases)} when plan_length is not null then '{least} or more' end"


GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "table": '"table"',
        "domain": "nullif(domain, '')",
        "kind": "nullif(kind, '')",
        "format": "nullif(format, '')",
        "plan_length": _bins(),
        "representation": "nullif(representation, '')",
        "difficulty": "nullif(difficulty, '')",
    }
)


def in_order(group: str, values: list[str]) -> list[str]:
    """Return the values of a group sorted: plan lengths by size, others as text."""
    if group != "plan_length":
        return sorted(values)
    return sorted(values, key=lambda value: int(value.split()[0].partition("-")[0]))
