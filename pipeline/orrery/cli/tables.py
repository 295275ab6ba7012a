"""Tables in the output of commands: drawn on a terminal, aligned plain text in a file or pipe."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from orrery.evaluation.results.statistics import aligned
from orrery.model import UsageError

CELL = 60  # maximum width of a cell in plain text


def on_terminal() -> bool:
    """Return whether the output goes to a terminal."""
    return sys.stdout.isatty()


def show(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table with a header (omitted if all names are empty). Columns of numbers are right-aligned.

    On a terminal the table fits the width, and long cells are folded.
    """
    listed = [list(row) for row in rows]
    numeric = [
        all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in column)
        for column in zip(*listed, strict=True)
    ] or [False] * len(names)
    cells = [["" if cell is None else str(cell) for cell in row] for row in listed]
    if on_terminal():
        _draw(names, cells, numeric)
    else:
        for line in aligned([names, *cells] if any(names) else cells, numeric):
            print(line)


def _draw(names: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_header=any(names))
    for name, is_numeric in zip(names, numeric, strict=True):
        table.add_column(Text(name), justify="right" if is_numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    Console().print(table)


def formatted(table: Any, style: str) -> str:
    """Return an Arrow table as text with a final newline.

    The styles are ``csv``, ``json`` (one array of objects) and ``table`` (aligned columns, in which long
    cells end in an ellipsis).

    Raises:
        UsageError: a date is beyond the years 1 to 9999; or, for ``json``, a number is not finite, or two
            columns have the same name.
    """
    columns = list(map(values, table.columns))
    if style == "json":
        return _as_json(table.column_names, columns)
    cells = [table.column_names, *(list(map(_text, row)) for row in zip(*columns, strict=True))]
    if style == "csv":
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(cells)
        return buffer.getvalue()
    names, *lines = ([_short(cell) for cell in row] for row in cells)
    rules = ["-" * max(map(len, column)) for column in zip(names, *lines, strict=True)]
    return "\n".join([*aligned([names, rules, *lines], [False] * len(names)), ""])


def values(column: Any) -> list[Any]:
    """Return the values of a column of the output.

    Raises:
        UsageError: a date is beyond the years 1 to 9999.
    """
    try:
        listed: list[Any] = column.to_pylist()
    except (OverflowError, ValueError) as error:
        place, mend = "orrery query", "cast it to text, for example d::varchar"
        raise UsageError(place, f"a date cannot be printed: {error}", mend) from error
    return listed


def _as_json(names: Sequence[str], columns: Sequence[list[Any]]) -> str:
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise UsageError("orrery query", f"two columns are named '{twice[0]}'", "name one of them with AS")
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    try:
        return json.dumps(rows, indent=1, ensure_ascii=False, default=str, allow_nan=False) + "\n"
    except ValueError as error:
        mend = "cast it to text, for example x::varchar, or use another --format"
        raise UsageError("orrery query", "a number is not finite, which JSON cannot express", mend) from error


def _text(value: Any) -> str:
    if value is None:
        return ""
    is_nested = isinstance(value, list | dict)
    return json.dumps(value, ensure_ascii=False, default=str) if is_nested else str(value)


def _short(cell: str) -> str:
    line = cell.replace("\n", "\\n")
    return line if len(line) <= CELL else line[: CELL - 1] + "…"
