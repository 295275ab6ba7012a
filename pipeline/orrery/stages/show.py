"""``orrery show``: print one row of the dataset: its text, PDDL, proofs and picture."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from orrery.browse.row_page import line
from orrery.browse.shelf import OpenDataset
from orrery.config import Settings
from orrery.dataset.row_pictures import ANIMATION, PICTURE, STRIP, drawn, scene_of
from orrery.model import Row, UsageError
from orrery.store.files import write_text

TEXTS = ("context", "question", "natural_language", "first_observation")
LONG = (*TEXTS, "PDDL_domain", "PDDL_problem", "domain_pddl", "problem_pddl")
MOST = 12


def run(
    settings: Settings,
    name: str,
    *,
    picture: Path | None = None,
    strip: Path | None = None,
    animation: Path | None = None,
    first: int | None = None,
    as_json: bool = False,
) -> str:
    """Return the row ``name`` as text or JSON, and write the requested pictures.

    These are SVG files of the row, and of the states of its plan as a strip or as an animation. Only the
    ``first`` steps of a longer plan are drawn.

    Raises:
        UsageError: the row does not exist, it has nothing to draw, or two pictures have the same file.
        OrreryError: there is no dataset.
    """
    files = [path.resolve() for path in (picture, strip, animation) if path]
    if twice := next((path for path in files if files.count(path) > 1), None):
        raise UsageError(str(twice), "is given for two pictures", "name a different file for each")
    shelf = OpenDataset(settings.outputs / "dataset")
    table, split, row = shelf.row(name)
    written = list[str]()
    if files:
        scene = scene_of(settings.root, row)
        for kind, path in {PICTURE: picture, STRIP: strip, ANIMATION: animation}.items():
            if path:
                write_text(path, drawn(kind, row, scene, first))
                written += ["", f"{kind}: {path}"]
    if as_json:
        return json.dumps({"table": table, "split": split, **row}, indent=2, ensure_ascii=False)
    belonging = [f"{f'{family}:':24}{_short(ids)}" for family, ids in shelf.belonging(name, split).items()]
    return "\n".join(
        [f"{row['id']}   (table {table}, split {split})", "", *_lines(row), *belonging, *written]
    )


def _lines(row: Row) -> Iterator[str]:
    """Yield the row as lines of text: texts and dialogues first, then the other values."""
    for column in (name for name in LONG if row.get(name)):
        yield from (f"-- {column}", row[column].rstrip(), "")
    dialogues = [column for column, value in row.items() if _is_dialogue(value)]
    for column in dialogues:
        said = (f"{message['role']}: {message['content']}" for message in row[column])
        yield from (f"-- {column}", *said, "")
    for column, value in row.items():
        if column not in (*LONG, *dialogues, "id"):
            yield f"{column + ':':24}{_short(value)}"


def _is_dialogue(value: Any) -> bool:
    """Return whether a value is a list of messages, each with a role and a content."""
    messages = value if isinstance(value, list) else []
    return bool(messages) and all(isinstance(one, dict) and {*one} == {"role", "content"} for one in messages)


def _short(value: Any) -> str:
    """Return a value on one line; long lists are truncated with a remark."""
    if isinstance(value, list):
        remainder = f" ... ({len(value)} in all)" if len(value) > MOST else ""
        return " ".join(map(line, value[:MOST])) + remainder if value else "none"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_short(item)}" for key, item in value.items())
    return "unknown" if value is None else str(value)
