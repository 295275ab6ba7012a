"""``orrery show``: one row of the dataset, for people: its text, its PDDL, what is proven, its picture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families import families, tables
from orrery.model import UsageError
from orrery.pddl.read import read_problem
from orrery.pictures.draw import draw_problem
from orrery.store.shards import read_rows, replacing, shards, split_of

TEXTS = ("context", "question", "natural_language")
LONG = (*TEXTS, "PDDL_domain", "PDDL_problem", "domain_pddl", "problem_pddl")
MOST = 12


def run(settings: Settings, name: str, picture: Path | None, *, as_json: bool = False) -> str:
    """Return the row ``name`` as text or JSON; its picture goes to the file ``picture`` if one is named.

    Raises:
        UsageError: there is no such row, or no way to draw it.
    """
    table, split, row = _find(settings.outputs / "dataset", name)
    drawn = _drawn(settings, row, picture) if picture else []
    if as_json:
        return json.dumps({"table": table, "split": split, **row}, indent=2, ensure_ascii=False)
    more = _belonging(settings.outputs / "dataset", split, name)
    return "\n".join([f"{row['id']}   (table {table}, split {split})", "", *_lines(row), *more, *drawn])


def _find(dataset: Path, name: str) -> tuple[str, str, dict[str, Any]]:
    """Return table, split and content of the row with the id ``name``; each table's ids are read first."""
    for table in tables().values():
        for path in shards(dataset, table.name):
            if any(row["id"] == name for row in read_rows(path, columns=["id"])):
                row = next(row for row in read_rows(path, table.schema) if row["id"] == name)
                return table.name, split_of(path), row
    raise UsageError(
        f"row '{name}'",
        "is in no table",
        """find ids with: orrery query "select id from problems" """.strip(),
    )


def _belonging(dataset: Path, split: str, name: str) -> Iterator[str]:
    """Yield a line for each family that has rows of the problem ``name``, whose ids begin with its own."""
    for family, its in families().items():
        ids = [
            row["id"]
            for table in its.tables
            for path in shards(dataset, table.name, split)
            for row in read_rows(path, columns=["id"])
            if row["id"].startswith(f"{name}/")
        ]
        if ids:
            yield f"{f'{family}:':24}{_short(ids)}"


def _lines(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the row for people: texts first, then the answer or plan, then the small values."""
    for column in (name for name in LONG if row.get(name)):
        yield from (f"-- {column}", row[column].rstrip(), "")
    for column, value in row.items():
        if column not in LONG and column != "id":
            yield f"{column + ':':24}{_short(value)}"


def _short(value: Any) -> str:
    """Return a value on one line; long lists are cut, and say so."""
    if isinstance(value, list):
        rest = f" ... ({len(value)} in all)" if len(value) > MOST else ""
        return " ".join(value[:MOST]) + rest if value else "none"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_short(item)}" for key, item in value.items())
    return "unknown" if value is None else str(value)


def _drawn(settings: Settings, row: Mapping[str, Any], picture: Path) -> list[str]:
    """Draw the row's problem to a file; a line that says so."""
    entry = entry_of(settings.root, row["domain"])
    if entry.description.picture is None:
        raise UsageError(str(entry.folder / "domain.yaml"), "has no 'picture'", "say how to draw it")
    pddl = row.get("problem_pddl") or row["PDDL_problem"]
    problem = read_problem(pddl, entry.domain, row["id"])
    with replacing(picture) as temporary:
        temporary.write_text(draw_problem(entry.domain, problem, entry.description.picture), encoding="utf-8")
    return ["", f"picture: {picture}"]
