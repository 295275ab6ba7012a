"""``orrery columns`` and ``orrery glossary``: describe the columns of tables, and define terms."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from orrery.cli.options import AsJson, Source
from orrery.cli.tables import show
from orrery.installation import find_root
from orrery.model import OrreryError, UsageError, did_you_mean

WIDTH = 100
GLOSSARY = Path("docs") / "glossary.md"
_LINE = re.compile(r"^\| (.+?) \| (.+) \|$")
_EMPHASIS = re.compile(r"(?<!\\)\*(.+?)(?<!\\)\*")
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


class Word(NamedTuple):
    """An entry of the glossary, with its heading."""

    heading: str
    word: str
    meaning: str


def columns(
    table: Annotated[
        str | None,
        typer.Argument(help="A table or view of `orrery query` (default: all)."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Describe the columns of a table, or list all tables."""
    rows = described_columns(table) if table else described_tables()
    if json:
        typer.echo(dumps(rows, indent=1, ensure_ascii=False))
        return
    texts = {True: "yes", False: ""}
    names = list(rows[0])
    cells = [[texts[cell] if isinstance(cell, bool) else str(cell) for cell in row.values()] for row in rows]
    show(names, cells)


def glossary(
    word: Annotated[str, typer.Argument(help="A word, or a part of a word (default: all entries).")] = "",
    json: AsJson = False,
    root: Source = None,
) -> None:
    """Define a term used in columns, messages and code."""
    words = entries_of(find_root(root), word)
    if json:
        typer.echo(dumps([entry._asdict() for entry in words], indent=1, ensure_ascii=False))
        return
    heading = ""
    for entry in words:
        if entry.heading != heading:
            typer.echo(f"{entry.heading}\n" if not heading else f"\n{entry.heading}\n")
            heading = entry.heading
        typer.echo(textwrap.fill(f"{entry.word}: {entry.meaning}", WIDTH, subsequent_indent=" " * 4))


def described_columns(name: str) -> list[dict[str, Any]]:
    """Return column, type and meaning of each column of a table or view, or of one of its splits.

    Raises:
        UsageError: the table is unknown; the message lists the known tables.
    """
    from orrery.store.kinds import description
    from orrery.store.shards import SPLITS

    schemas = _schemas()
    whole, _, split = name.rpartition("_")
    name = whole if split in SPLITS and whole in schemas else name
    if name not in schemas:
        mend = did_you_mean(name, schemas) or f"tables: {', '.join(schemas)}"
        raise UsageError(f"table '{name}'", "is unknown", mend)
    return [
        {
            "column": field.name,
            "type": str(field.type).replace("element: ", "").replace(" not null", ""),
            "may be null": field.nullable,
            "meaning": description(field),
        }
        for field in schemas[name]
    ]


def described_tables() -> list[dict[str, Any]]:
    """Return name, number of columns and meaning of all tables and views."""
    from orrery.store.kinds import description

    return [
        {"table": name, "columns": len(schema), "what a row is": description(schema)}
        for name, schema in _schemas().items()
    ]


def entries_of(root: Path, word: str = "") -> list[Word]:
    """Return the entries whose term contains ``word``; if there are none, those whose meaning contains it.

    Without ``word``, return all entries.

    Raises:
        UsageError: no entry contains the word.
        OrreryError: the glossary file cannot be read.
    """
    entries = list(_entries(root / GLOSSARY))
    lowered = word.lower()
    words = [entry for entry in entries if lowered in entry.word.lower()]
    words = words or [entry for entry in entries if lowered in entry.meaning.lower()]
    if not words:
        near = did_you_mean(lowered, [entry.word.lower() for entry in entries])
        mend = near or "list all entries with `orrery glossary`"
        raise UsageError(f"'{word}'", "is not in the glossary", mend)
    return words


def _schemas() -> dict[str, Any]:
    """Return the schemas of all tables and views of `orrery query`, by name."""
    from orrery.dataset.question_view import QUESTIONS_VIEW
    from orrery.evaluation.results.runs import scores_schema
    from orrery.families import tables
    from orrery.store.kinds import table_name

    published = {name: table.schema for name, table in sorted(tables().items())}
    return published | {table_name(schema): schema for schema in (QUESTIONS_VIEW, scores_schema())}


def _entries(path: Path) -> Iterator[Word]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        mend = "restore it, or give --root"
        raise OrreryError(str(path), f"cannot be read: {error.strerror}", mend) from error
    heading = ""
    for line in lines:
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        elif (match := _LINE.match(line)) and match[1] != "word":
            yield Word(heading, *(_plain(text) for text in match.groups()))


def _plain(text: str) -> str:
    """Return Markdown as text."""
    return _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", text)).replace("\\", "").replace("`", "")
