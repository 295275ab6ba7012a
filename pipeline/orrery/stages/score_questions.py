"""Stage ``score`` for questions: a file of replies graded by their rows, to a file of grades and a summary.

Replies are joined with their rows in blocks, kept beside the result until it is whole; so no more than a
few blocks are held at once, and a killed run takes up where it was.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from orrery.engine import fingerprint, map_parts
from orrery.grading import KINDS, grade
from orrery.model import OrreryError, UsageError
from orrery.scoring.joining import Joining
from orrery.scoring.predictions import Prediction, read_predictions, without_repeats
from orrery.scoring.question_gold import QuestionGold, find_questions
from orrery.scoring.question_results import SCHEMA, Grades, result
from orrery.store import shards
from orrery.store.columns import Row
from orrery.store.kinds import table_name
from orrery.store.parts import Parts

BLOCK = 1000
PIECE = 64_000_000  # characters of replies held before they are written away
FORMS = (".parquet", ".jsonl")
BLOCKS = "blocks"


@dataclass(frozen=True)
class Request:
    """What to grade: replies, the dataset and split (None: all), where to."""

    predictions: Path
    dataset: Path
    split: str | None
    out: Path
    jobs: int = 1
    resume: bool = True


def run(request: Request) -> dict[str, Any]:
    """Write the grades to ``request.out`` and return the summary (``Grades.as_dict``).

    Raises:
        UsageError: a file or split that does not exist, an id that the dataset does not have.
        OrreryError: a file that cannot be read, a group that is not graded; nothing is written then.
    """
    if request.out.suffix not in FORMS:
        mend = "give it one of these endings"
        raise UsageError(f"--out {request.out}", "is neither .parquet nor .jsonl", mend)
    gold = find_questions(request.dataset, request.split, BLOCK)
    read_predictions(request.predictions)  # says so if there is no such file
    work = request.out.with_name(request.out.name + ".unfinished")
    if not request.resume:
        shutil.rmtree(work, ignore_errors=True)
    parts = Parts.under(work, fingerprint([request.predictions, *gold.files]), (SCHEMA,))
    blocks = _blocks(request, gold, parts.folder / BLOCKS)
    names = map_parts(
        blocks, _graded, parts, jobs=request.jobs, label="grade", describe=lambda path: path.name
    )
    grades = Grades()
    rows = (row for table in parts.tables(names, table_name(SCHEMA)) for row in table.to_pylist())
    _write(request.out, _counted(rows, grades))
    shutil.rmtree(work)
    return grades.as_dict(len(gold.ids))


def _blocks(request: Request, gold: QuestionGold, folder: Path) -> list[Path]:
    """Files with replies and the rows they answer, joined once; those of an earlier run if they are there."""
    if not folder.is_dir():
        joining = Joining(gold, BLOCK, PIECE, partial(_unknown, request))
        replies = without_repeats(request.predictions, read_predictions(request.predictions))
        try:
            with shards.replacing(folder) as temporary:
                joining.write(replies, temporary)
        except OrreryError:
            shutil.rmtree(folder.parent.parent)  # nothing of it is of use
            raise
    return sorted(folder.glob("*.parquet"))


def _unknown(request: Request, prediction: Prediction) -> UsageError:
    """The error for an id that no table has."""
    split = f"split '{request.split}' of " if request.split else ""
    problem = f"'{prediction.id}' is no id of a question in {split}{request.dataset}"
    return UsageError(
        f"{request.predictions}:{prediction.line}",
        problem,
        "use the ids of the acp_ tables, and their --split",
    )


def _graded(block: Path) -> dict[str, list[dict[str, Any]]]:
    """The grades of one block."""
    return {table_name(SCHEMA): [_grade(block, row) for row in pq.read_table(block).to_pylist()]}


def _grade(block: Path, row: dict[str, Any]) -> dict[str, Any]:
    if row["group"] not in KINDS:
        graded = ", ".join(sorted(KINDS))
        raise OrreryError(f"row {row['id']}", f"group '{row['group']}' is not graded", f"graded: {graded}")
    return result(row, row["sample"], grade(json.loads(row["output"]), row))


def _counted(rows: Iterable[Row], grades: Grades) -> Iterator[Row]:
    for row in rows:
        grades.add(row)
        yield row


def _write(out: Path, rows: Iterable[Row]) -> None:
    """The grades, in the order of the dataset, whole or not at all."""
    if out.suffix == ".parquet":
        shards.write(out, SCHEMA, rows)
        return
    with shards.replacing(out) as temporary, temporary.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
