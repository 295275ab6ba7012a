"""Tables on a terminal; what is piped into a file or a program stays aligned plain text."""

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
    """Print a table as wide as the terminal: long cells are folded, numbers stand to the right."""
    listed = [list(row) for row in rows]
    table = Table(box=box.SIMPLE_HEAD, show_header=any(names))
    for place, name in enumerate(names):
        numbers = all(isinstance(row[place], int | float) for row in listed) and listed
        table.add_column(Text(name), justify="right" if numbers else "left", overflow="fold")
    for row in listed:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    Console().print(table)
