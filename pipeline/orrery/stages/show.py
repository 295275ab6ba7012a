"""``orrery show``: one row of the dataset, for people: its text, its PDDL, what is proven, its picture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.model import UsageError
from orrery.pddl.read import read_problem
from orrery.pictures.draw import draw_problem
from orrery.store.schemas import PUBLISHED
from orrery.store.shards import read_rows, replacing, shards, split_of

TEXTS = ("context", "question", "natural_language")
LONG = (*TEXTS, "PDDL_domain", "PDDL_problem", "domain_pddl", "problem_pddl")
MOST = 12


def run(settings: Settings, name: str, picture: Path | None, *, as_json: bool = False) -> str:
    """The row ``name`` as text or JSON; its picture goes to the file ``picture`` if one is named.

    Raises:
        UsageError: there is no such row, or no way to draw it.
    """
    table, split, row = _find(settings.outputs / "dataset", name)
    drawn = _drawn(settings, row, picture) if picture else []
    told = _told(settings.outputs / "dataset", split, name) if table == "problems" and not as_json else []
    if as_json:
        return json.dumps({"table": table, "split": split, **row}, indent=2, ensure_ascii=False)
    return "\n".join([f"{row['id']}   (table {table}, split {split})", "", *_lines(row), *told, *drawn])


def _find(dataset: Path, name: str) -> tuple[str, str, dict[str, Any]]:
    """Table, split and content of the row with the id ``name``; each table's ids are read first."""
    for table, schema in PUBLISHED.items():
        for path in shards(dataset, table):
            if any(row["id"] == name for row in read_rows(path, columns=["id"])):
                return table, split_of(path), next(r for r in read_rows(path, schema) if r["id"] == name)
    raise UsageError(
        f"row '{name}'",
        "is in no table",
        """find ids with: orrery query "select id from problems" """.strip(),
    )


def _told(dataset: Path, split: str, problem: str) -> list[str]:
    """A line with the ids of the texts that tell the problem."""
    ids = [
        row["id"]
        for path in shards(dataset, "text_to_pddl", split)
        for row in read_rows(path, columns=["id"])
    ]
    return [f"{'told in:':24}{_short([each for each in ids if each.startswith(f'{problem}/')])}"]


def _lines(row: Mapping[str, Any]) -> Iterator[str]:
    """The row for people: texts first, then the answer or plan, then the small values."""
    for column in (name for name in LONG if row.get(name)):
        yield from (f"-- {column}", row[column].rstrip(), "")
    for column, value in row.items():
        if column not in LONG and column != "id":
            yield f"{column + ':':24}{_short(value)}"


def _short(value: Any) -> str:
    """A value on one line; long lists are cut, and say so."""
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
