"""The worked examples of prompts: two questions of each kind and format, on domains no table asks about.

They lie beside the dataset as ``prompts/examples.jsonl``, a row each with the reply that is right, so that
every prompt made from one dataset shows the same two.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from orrery.model import OrreryError
from orrery.store import shards

FILE = "prompts/examples.jsonl"
EACH = 2  # examples of a table
COLUMNS = (
    "id", "group", "domain", "context", "context_pddl", "context_both", "question", "question_pddl",
    "PDDL_domain", "PDDL_problem", "answer",
)  # fmt: skip

Row = Mapping[str, Any]


def write_examples(dataset: Path, rows: Iterable[Row]) -> None:
    """Write the examples: rows with ``COLUMNS``, their ``table`` and their ``reply``."""
    with shards.replacing(dataset / FILE) as path:
        lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
        path.write_text("".join(lines), encoding="utf-8")


def examples_of(dataset: Path, table: str) -> list[Row]:
    """Return the examples of a table, in their order.

    Raises:
        OrreryError: the dataset holds none.
    """
    path = dataset / FILE
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [row for row in map(json.loads, lines) if row["table"] == table]
    if not found:
        mend = "build it anew, with a domain whose domain.yaml says 'questions: false'"
        raise OrreryError(str(path), f"holds no examples for '{table}'", mend)
    return found
