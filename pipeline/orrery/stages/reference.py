"""``orrery columns`` and ``orrery glossary``: what the tables hold, and what a word means here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.question_view import QUESTIONS_VIEW
from orrery.evaluation.results.runs import SCORES
from orrery.families import tables
from orrery.model import OrreryError, UsageError, did_you_mean
from orrery.store import kinds
from orrery.store.kinds import Schema
from orrery.store.shards import SPLITS

GLOSSARY = Path("docs") / "glossary.md"
_LINE = re.compile(r"^\| (.+?) \| (.+) \|$")
_EMPHASIS = re.compile(r"(?<!\\)\*(.+?)(?<!\\)\*")
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


class Word(NamedTuple):
    """An entry of the glossary, under the heading that it stands under."""

    heading: str
    word: str
    meaning: str


def schemas() -> dict[str, Schema]:
    """Return the schemas of all that `orrery query` knows, by name: tables, and views besides them."""
    published = {name: table.schema for name, table in sorted(tables().items())}
    return published | {kinds.table_name(schema): schema for schema in (QUESTIONS_VIEW, SCORES)}


def columns(name: str) -> list[dict[str, Any]]:
    """Return column, type and meaning of each column of a table or view, or of one of its splits.

    Raises:
        UsageError: there is none of that name; the message lists those there are.
    """
    schemas_by_name = schemas()
    whole, _, split = name.rpartition("_")
    name = whole if split in SPLITS and whole in schemas_by_name else name
    if name not in schemas_by_name:
        raise UsageError(
            f"table '{name}'",
            "is unknown",
            did_you_mean(name, schemas_by_name) or f"tables: {', '.join(schemas_by_name)}",
        )
    return [
        {
            "column": field.name,
            "type": str(field.type).replace("element: ", "").replace(" not null", ""),
            "may be null": field.nullable,
            "meaning": kinds.description(field),
        }
        for field in schemas_by_name[name]
    ]


def listed() -> list[dict[str, Any]]:
    """Return name, number of columns and meaning of all tables and views."""
    return [
        {"table": name, "columns": len(schema), "what a row is": kinds.description(schema)}
        for name, schema in schemas().items()
    ]


def glossary(root: Path, word: str = "") -> list[Word]:
    """Return the entries whose word holds what was ``word`` for, else those whose meaning does; all without.

    Raises:
        UsageError: there is none.
        OrreryError: the glossary is not there.
    """
    entries = list(_entries(root / GLOSSARY))
    lowered = word.lower()
    words = [entry for entry in entries if lowered in entry.word.lower()]
    words = words or [entry for entry in entries if lowered in entry.meaning.lower()]
    if not words:
        near = did_you_mean(lowered, [entry.word.lower() for entry in entries])
        raise UsageError(
            f"'{word}'", "is not in the glossary", near or "list all entries with `orrery glossary`"
        )
    return words


def _entries(path: Path) -> Iterator[Word]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise OrreryError(
            str(path), f"cannot be read: {error.strerror}", "restore it, or give --root"
        ) from error
    heading = ""
    for line in lines:
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        elif (match := _LINE.match(line)) and match[1] != "word":
            yield Word(heading, *(_plain(text) for text in match.groups()))


def _plain(text: str) -> str:
    """Return Markdown as text."""
    return _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", text)).replace("\\", "").replace("`", "")
