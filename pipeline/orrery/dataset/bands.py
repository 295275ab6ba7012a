"""Rows by the band that contains the bounds on the length of a shortest plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orrery.dataset.views import counts_of
from orrery.families import tables
from orrery.store.shards import splits

NO_BAND = "none"  # no bounds, no plan, or bounds in two bands


def rows_by_band(dataset: Path) -> Mapping[str, Mapping[str, int]]:
    """Return the number of rows by table and by the largest length of a band."""
    names = [
        name for name in splits(dataset) if name in tables() and "horizon" in tables()[name].schema.names
    ]
    counts: dict[str, dict[str, int]] = {}
    for name in names:
        sql = f"select band(horizon) as band, count(*) as n from {name} group by 1 order by 1 nulls last"
        counts[name] = {str(row["band"] or NO_BAND): row["n"] for row in counts_of(dataset, sql)}
    return counts
