"""Check bounds on the length of a shortest plan: the upper one by a plan, the lower one by counting again."""

from __future__ import annotations

from collections.abc import Callable

from orrery.checks.verdicts import differing
from orrery.model import Row

BOUNDS, SEARCH = ("lower", "upper", "lower_proof", "upper_proof"), "search"


def by_search(row: Row) -> bool:
    """Return whether the row states the length of a shortest plan by search, or no bounds."""
    horizon = row["horizon"]
    return horizon is None or (horizon["lower_proof"], horizon["upper_proof"]) == (SEARCH, SEARCH)


def searched_bounds(length: int) -> Row:
    """Return the bounds that a search proves."""
    return dict(zip(BOUNDS, (length, length, SEARCH, SEARCH), strict=True))


def counted_faults(row: Row, length: int, counted: int | None, landmarks: Callable[[], int]) -> list[str]:
    """Return the faults of bounds by a plan of ``length`` steps and by counting.

    ``counted`` is the bound of the domain's rule. If there is none, ``landmarks`` returns the bound.
    """
    lower, proof = (landmarks(), "landmarks") if counted is None else (counted, "closed_form")
    bounds = dict(zip(BOUNDS, (lower, length, proof, "plan"), strict=True))
    faults = differing({"horizon": bounds, "h_star": length if lower == length else None}, row)
    return faults + [f"{proof} give at least {lower} steps, and a plan has {length}"] * (lower > length)
