"""``orrery columns`` and ``orrery glossary``: what the tables hold, and what a word means here."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from json import dumps
from typing import Annotated, Any

import typer

from orrery.cli.options import AsJson, Source
from orrery.cli.tables import show
from orrery.installation import find_root

WIDTH = 100


def columns(
    table: Annotated[
        str | None,
        typer.Argument(help="A table or view of `orrery query` (default: all)."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Say what the columns of a table mean, or which tables there are."""
    from orrery.stages import reference as stage

    _print(stage.columns(table) if table else stage.listed(), json)


def glossary(
    word: Annotated[str, typer.Argument(help="A word, or a part of a word (default: all entries).")] = "",
    json: AsJson = False,
    root: Source = None,
) -> None:
    """Say what a word means in the columns, in messages and in the code."""
    from orrery.stages import reference as stage

    words = stage.glossary(find_root(root), word)
    if json:
        typer.echo(dumps([entry._asdict() for entry in words], indent=1, ensure_ascii=False))
        return
    heading = ""
    for entry in words:
        if entry.heading != heading:
            typer.echo(f"{entry.heading}\n" if not heading else f"\n{entry.heading}\n")
            heading = entry.heading
        indent = " " * 4
        typer.echo(textwrap.fill(f"{entry.word}: {entry.meaning}", WIDTH, subsequent_indent=indent))


def _print(rows: Sequence[Mapping[str, Any]], json: bool) -> None:
    """Print rows as a table, or as JSON."""
    if json:
        typer.echo(dumps(list(rows), indent=1, ensure_ascii=False))
        return
    names = list(rows[0])
    cells = [[_cell(row[name]) for name in names] for row in rows]
    show(names, cells)


def _cell(value: object) -> str:
    return {True: "yes", False: ""}[value] if isinstance(value, bool) else str(value)
