"""The score of a reply to a row of any table, from one function.

The table names its scorer; a row without a table is told from its columns. What is costly (a domain, its
planner, its rule for goals) is made once a process. Nothing is changed after it was made, so that threads and
forked workers may score side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from orrery.grading import UNPARSED, Score
from orrery.grading.score import MAX_REPLY, TOO_LONG
from orrery.installation import find_root
from orrery.model import OrreryError, UsageError
from orrery.scoring.scorer import Scorer
from orrery.scoring.scorers import scorer_of

NO_TEXT = "the reply is no text"

Row: TypeAlias = Mapping[str, Any]


def score(reply: str | None, row: Row, table: str | None = None, *, root: Path | str | None = None) -> Score:
    """Return the score of a model's reply to a row of any table that asks something.

    ``verdict`` is ``right``, ``wrong``, ``unparsed`` (no answer could be read) or ``undecided`` (a limit
    ended the search before the reply was proven right or wrong).

    Args:
        reply: the whole reply; None, and what is no text, counts as unparsed.
        row: the row, with the columns that its scorer reads.
        table: the name of the row's table; told from the row's columns unless given.
        root: the folder with domains and generators; that of the installation unless given.

    Raises:
        UsageError: there is no such table, it asks nothing, or the row is of no table that does.
        OrreryError: the row lacks what its scorer reads, or cannot be read. No reply raises.
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
        raise OrreryError(_named(row), problem, "give rows as they are in the dataset") from error


def scorer_named(name: str, root: Path | str | None = None) -> Scorer:
    """Return the scorer of this name, with the options that it has unless some are given."""
    return _scorer(name, (find_root() if root is None else Path(root)).absolute())


@lru_cache(maxsize=64)
def _scorer(name: str, root: Path) -> Scorer:
    return scorer_of(name)(root=root)


def _named(row: Row) -> str:
    return f"row {row.get('id', '')}".strip()


def _text(reply: Any) -> tuple[str, str]:
    """Return the reply as text, and what is wrong with it as a text."""
    if reply is None:
        return "", ""
    if not isinstance(reply, str):
        return "", NO_TEXT
    return (reply, "") if len(reply) <= MAX_REPLY else ("", TOO_LONG)


def _scorer_name(row: Row, table: str | None) -> str:
    """Return the name of the scorer that a table names; without a table, that of its row's columns."""
    if table is None:
        return _of_row(row)
    try:
        return _of_table(table)
    except ModuleNotFoundError:  # the base installation describes no tables
        return _of_row(row)


def _of_row(row: Row) -> str:
    """Return the name of the scorer of a row that comes without its table.

    Raises:
        UsageError: the columns tell of no table that asks something.
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
        _named(row), "does not belong to a table with questions", f"{recognised}; or name its table"
    )


@lru_cache(maxsize=256)
def _of_columns(names: frozenset[str]) -> str:
    """Return the scorer of the table that has exactly these columns; empty where no table has."""
    try:
        from orrery.families import tables
    except ModuleNotFoundError:  # as in the base installation, where no table can be added
        return ""
    scorers = (table.scorer for table in tables().values() if names == frozenset(table.schema.names))
    return next(scorers, "")


@lru_cache(maxsize=256)
def _of_table(name: str) -> str:
    """Return the name of the scorer of a table.

    Raises:
        UsageError: there is no such table, or it asks nothing.
        ModuleNotFoundError: pyarrow, with which tables are described, is not installed.
    """
    from orrery.families import table_of, tables

    scorer = table_of(name).scorer
    if not scorer:
        asking = ", ".join(sorted(name for name, table in tables().items() if table.scorer))
        raise UsageError(f"table '{name}'", "has no questions that can be scored", f"tables: {asking}")
    return scorer
