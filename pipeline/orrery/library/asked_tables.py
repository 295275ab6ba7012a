"""The tables that a model is asked: all that there are, or those that names and patterns choose."""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatchcase

from orrery.families import tables
from orrery.model import UsageError

ALL = "all"


def asking_tables() -> list[str]:
    """Return the names of all tables that ask something, sorted."""
    return sorted(name for name, table in tables().items() if table.gold)


def tables_wanted(wanted: str, available: Collection[str], lacking: str) -> list[str]:
    """Return the tables of ``available`` that are wanted, sorted.

    Args:
        wanted: ``all``, or names and patterns such as ``acp_*_bool``, parted by commas.
        available: the tables that can be asked.
        lacking: what is wrong with a table that asks something and is not ``available``.

    Raises:
        UsageError: a name or pattern fits no table that can be asked; the message lists those that can.
    """
    asking = asking_tables()
    choices = f"tables: {', '.join(sorted(available or asking))}"
    chosen = set[str]()
    for name in filter(None, (part.strip() for part in wanted.split(","))):
        pattern = "*" if name == ALL else name
        fitting = {table for table in available if fnmatchcase(table, pattern)}
        if not fitting:
            asks = any(fnmatchcase(table, pattern) for table in asking)
            problem = lacking if asks else "has no questions for a model"
            raise UsageError(f"table '{name}'", problem, choices)
        chosen |= fitting
    if not chosen:
        raise UsageError(f"tables '{wanted}'", "match no table", choices)
    return sorted(chosen)
