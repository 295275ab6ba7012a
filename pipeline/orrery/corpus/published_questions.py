"""The files of ACPBench and ACPBench Hard: questions as JSON, lines of JSON, packed or not, or Parquet."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from orrery.model import OrreryError
from orrery.store.kinds import as_json
from orrery.store.shards import read_rows

VALIDATION = ("dev", "val", "validation")  # what files of that split are called
ENDINGS = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".parquet")
NEEDED = ("id", "group", "context", "question", "answer")
Row = dict[str, Any]


def question_files(folder: Path) -> list[Path]:
    """Return the files below ``folder`` that may hold questions, sorted.

    Raises:
        OrreryError: there is no such folder.
    """
    if not folder.is_dir():
        raise OrreryError(str(folder), "is not a folder", "name the folder of the published files")
    return sorted(path for path in folder.rglob("*") if path.name.endswith(ENDINGS))


def questions(folder: Path) -> list[Row]:
    """Return the questions of all files below ``folder``; rows that are none are passed over.

    Raises:
        OrreryError: there is no such folder, a file cannot be read, or none holds a question.
    """
    rows = [row for path in question_files(folder) for row in _read(folder, path)]
    if not rows:
        mend = "name the folder that contains files such as app/dev.gen.json"
        raise OrreryError(str(folder), "has no rows of questions", mend)
    return rows


def _read(folder: Path, path: Path) -> Iterator[Row]:
    place = str(path.relative_to(folder))
    for number, row in enumerate(_content(path)):
        if not isinstance(row, dict) or not set(NEEDED) <= row.keys():
            continue
        choices = row.get("choices")
        yield {
            "id": str(row["id"]),
            "group": row["group"],
            "split": _split(path),
            "file": place,
            "number": number,
            "context": row["context"],
            "question": row["question"],
            "stored": as_json(row["answer"]),
            "choices": as_json(choices) if choices else "",
            "PDDL_domain": row.get("PDDL_domain") or "",
            "PDDL_problem": row.get("PDDL_problem") or "",
        }


def _content(path: Path) -> list[Any]:
    """Return the rows of a file: a JSON list, or one row a line."""
    if path.suffix == ".parquet":
        return list(read_rows(path))
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            text = file.read().decode("utf-8")
        lines = text.splitlines() if "jsonl" in path.name else []
        rows = [json.loads(line) for line in lines if line] if lines else json.loads(text)
    except (OSError, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise OrreryError(str(path), f"cannot be read: {error}", "download it again") from error
    return rows if isinstance(rows, list) else []


def _split(path: Path) -> str:
    """Return the split that the name of the file begins with; test where it names none."""
    name = path.name.replace("-", ".").split(".")[0]
    return "validation" if name in VALIDATION else "train" if name == "train" else "test"
