"""The log of an import: what was repaired, left out or missing, beside the rows that came of it."""

from __future__ import annotations

from orrery.store.kinds import STRING, column, table

FILE = "repairs.parquet"
PROBLEMS = "problems/"  # items that are problems
LEFT_OUT = "left out, not decided"
LOG = table(
    "repairs",
    "What was repaired, left out or missing in what was imported",
    column("id", STRING, "Name of the row"),
    column("item", STRING, "The file or entry"),
    column("what", STRING, "What was done or is missing"),
)


def is_problem_left_out(item: str, kind: str) -> bool:
    """Return whether an entry says that a released problem is in no row."""
    return item.startswith(PROBLEMS) and kind.startswith(LEFT_OUT)
