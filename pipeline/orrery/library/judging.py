"""Score a reply to a row of any table with one function.

The table names its scorer. A row without a table is identified by its columns. Expensive objects (a domain,
its planner, its rule for goals) are created once per process and never changed, so that threads and forked
workers can score in parallel.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from orrery.grading import UNPARSED, Score
from orrery.grading.score import MAX_REPLY, TOO_LONG
from orrery.installation import find_root
from orrery.model import OrreryError, Row, UsageError
from orrery.scoring.scorer import Scorer
from orrery.scoring.scorers import scorer_of

NO_TEXT = "the reply is no text"


def score(reply: str | None, row: Row, table: str | None = None, *, root: Path | str | None = None) -> Score:
    """Return the score of a model's reply to a row of any table with prompts.

    ``verdict`` is ``right``, ``wrong``, ``unparsed`` (no answer could be read) or ``undecided`` (a limit
    ended the search before the reply was proven right or wrong).

    Args:
        reply: the whole reply; None and other values than text count as unparsed.
        row: the row, with the columns that its scorer reads.
        table: the name of the row's table (default: derived from the row's columns).
        root: the folder with domains and generators (default: that of the installation).

    Raises:
        UsageError: the table is unknown or has no prompts, or no table fits the row.
        OrreryError: the row lacks a column that its scorer reads, or cannot be read. No reply raises.
    """
    if not isinstance(row, Mapping):
        raise UsageError("row", f"must be a mapping, not {type(row).__name__}", "give a row as a dict")
    scorer = scorer_named(_scorer_name(row, table), root)
    text, fault = _text(reply)
    if fault:
        return Score(0.0, UNPARSED, fault)
    try:
        return scorer.score(text, row)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"has no column {error}" if isinstance(error, KeyError) else str(error)
        raise OrreryError(_row_name(row), problem, "give rows as they are in the dataset") from error


def scorer_named(name: str, root: Path | str | None = None) -> Scorer:
    """Return the scorer of this name, with the given or the default options."""
    return _scorer(name, (find_root() if root is None else Path(root)).absolute())


@lru_cache(maxsize=64)
def _scorer(name: str, root: Path) -> Scorer:
    return scorer_of(name)(root=root)


def _row_name(row: Row) -> str:
    return f"row {row.get('id', '')}".strip()


def _text(reply: Any) -> tuple[str, str]:
    """Return the reply as text, and the problem of this text if there is one."""
    if reply is None:
        return "", ""
    if not isinstance(reply, str):
        return "", NO_TEXT
    return (reply, "") if len(reply) <= MAX_REPLY else ("", TOO_LONG)


def _scorer_name(row: Row, table: str | None) -> str:
    """Return the scorer name of a table; without a table, that of the row's columns."""
    if table is None:
        return _of_row(row)
    try:
        return _of_table(table)
    except ModuleNotFoundError:  # the base installation has no schemas of tables
        return _of_row(row)


def _of_row(row: Row) -> str:
    """Return the scorer name of a row without its table.

    Raises:
        UsageError: the columns match no table with prompts.
    """
    if row.get("group") is not None:
        return "plans" if str(row["group"]).startswith("plan_") else "questions"
    if "gold_domain" in row:
        return "actions" if "header" in row else "domains"
    if "natural_language" not in row and (name := _of_columns(frozenset(row))):
        return name
    if "problem_pddl" in row:
        return "text_to_pddl"
    recognised = "rows of questions and plans have 'group', texts 'problem_pddl', domains 'gold_domain'"
    raise UsageError(
        _row_name(row), "does not belong to a table with questions", f"{recognised}; or name its table"
    )


@lru_cache(maxsize=256)
def _of_columns(names: frozenset[str]) -> str:
    """Return the scorer of the table with exactly these columns; empty if there is none."""
    try:
        from orrery.families import tables
    except ModuleNotFoundError:  # as in the base installation, to which no table can be added
        return ""
    scorers = (table.scorer for table in tables().values() if names == frozenset(table.schema.names))
    return next(scorers, "")


@lru_cache(maxsize=256)
def _of_table(name: str) -> str:
    """Return the scorer name of a table.

    Raises:
        UsageError: the table is unknown or has no prompts.
        ModuleNotFoundError: pyarrow, which the schemas of tables need, is not installed.
    """
    from orrery.families import table_of, tables

    scorer = table_of(name).scorer
    if not scorer:
        asking = ", ".join(sorted(name for name, table in tables().items() if table.scorer))
        raise UsageError(f"table '{name}'", "has no questions that can be scored", f"tables: {asking}")
    return scorer
