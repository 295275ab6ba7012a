"""Tables in the output of commands: drawn on a terminal, aligned plain text in a file or pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def on_terminal() -> bool:
    """Return whether the output goes to a terminal."""
    return sys.stdout.isatty()


def show(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table with a header (omitted if all names are empty). Columns of numbers are right-aligned.

    On a terminal the table fits the width, and long cells are folded.
    """
    listed = [list(row) for row in rows]
    numeric = [_is_numeric(column) for column in zip(*listed, strict=True)] or [False] * len(names)
    cells = [["" if cell is None else str(cell) for cell in row] for row in listed]
    if on_terminal():
        _draw(names, cells, numeric)
    else:
        _print_aligned([names, *cells] if any(names) else cells, numeric)


def _is_numeric(column: Sequence[object]) -> bool:
    return all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in column)


def _draw(names: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_header=any(names))
    for name, is_numeric in zip(names, numeric, strict=True):
        table.add_column(Text(name), justify="right" if is_numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    Console().print(table)


def _print_aligned(lines: Sequence[Sequence[str]], numeric: Sequence[bool]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        columns = zip(line, widths, numeric, strict=True)
        padded = (cell.rjust(width) if right else cell.ljust(width) for cell, width, right in columns)
        print("  ".join(padded).rstrip())
