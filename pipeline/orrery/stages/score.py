"""Stage ``score``: score a file of predictions of any kind; write the scores and a summary.

Outputs are joined with their rows in blocks, which are stored next to the result until it is complete. So
only a few blocks are in memory, and a killed run can be continued.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyarrow.dataset import dataset

from orrery.model import OrreryError, UsageError
from orrery.parts import Parts, fingerprint, map_parts, package_fingerprint
from orrery.scoring.joining import GoldRows, count_problems, find_rows, join
from orrery.scoring.predictions import Prediction, read_predictions, without_repeats
from orrery.scoring.scorer import Columns, Scorer
from orrery.scoring.tally import tally
from orrery.store import shards
from orrery.store.columns import Table
from orrery.store.files import remove_folder, replacing
from orrery.store.kinds import Schema, table_name
from orrery.workers import ALONE, Workers

FORMS = (".parquet", ".jsonl")
BLOCKS = "blocks"


@dataclass(frozen=True)
class ScoreRequest:
    """A request to score: the predictions, the dataset and split (None: all), and the output file."""

    predictions: Path
    dataset: Path
    split: str | None
    out: Path
    workers: Workers = ALONE
    resume: bool = True


def run(scorer: Scorer, request: ScoreRequest) -> dict[str, Any]:
    """Write the scores to ``request.out`` and return the summary (``tally``).

    Raises:
        UsageError: a file or split does not exist, an id is not in the dataset, or the scores
            would replace the replies.
        OrreryError: a file or row cannot be read; then nothing is written.
    """
    if request.out.suffix not in FORMS:
        mend = "change the name of the file"
        raise UsageError(f"--out {request.out}", "must end in .parquet or .jsonl", mend)
    if request.out.resolve() == request.predictions.resolve():
        raise UsageError(f"--out {request.out}", "is the file of the predictions", "name another file")
    gold = find_rows(request.dataset, request.split, type(scorer))
    read_predictions(request.predictions)  # raises an error if the file does not exist
    work = request.out.with_name(request.out.name + ".unfinished")
    if not request.resume:
        remove_folder(work)
    files = [request.predictions, *gold.files, *scorer.depends]
    made_from = fingerprint(files, scorer=repr(scorer), package=package_fingerprint())
    schema = scorer.schema()
    parts = Parts(work / made_from, (schema,), made_from)
    blocks = _blocks(request, gold, parts.folder / BLOCKS)
    score = partial(_scored, scorer)
    names = map_parts(score, blocks, parts, request.workers, label="score", describe=lambda path: path.name)
    table = table_name(schema)
    _write(request.out, schema, parts.tables(names, table))
    files = [parts.part(name).folder / f"{table}.parquet" for name in names]
    summary = tally(dataset(files, schema), scorer.measures, len(gold.ids))
    remove_folder(work)
    problems = count_problems(gold)
    return summary | ({} if problems is None else {"problems": problems})


def _blocks(request: ScoreRequest, gold: GoldRows, folder: Path) -> list[Path]:
    """Return files with outputs and their rows, joined once and reused by later runs."""
    if not folder.is_dir():
        outputs = without_repeats(request.predictions, read_predictions(request.predictions))
        try:
            with replacing(folder) as temporary:
                join(gold, outputs, temporary, partial(_unknown, request, gold))
        except OrreryError:
            remove_folder(folder.parent.parent)  # the earlier content cannot be used
            raise
    return sorted(folder.glob("*.parquet"))


def _unknown(request: ScoreRequest, gold: GoldRows, prediction: Prediction) -> UsageError:
    """Return the error for an id that the split does not have; it says so if another split has the id."""
    source = f"{request.predictions}:{prediction.line}"
    for split in shards.SPLITS if request.split else ():
        try:
            in_split = prediction.id in find_rows(request.dataset, split, gold.scorer).ids
        except OrreryError:
            continue
        if in_split:
            problem = f"'{prediction.id}' is a row of split '{split}', not '{request.split}'"
            return UsageError(source, problem, f"score it with --split {split}, or --split all")
    answered = gold.scorer.answered(request.dataset)
    problem = f"'{prediction.id}' is not an id of {answered} in {request.dataset}"
    return UsageError(source, problem, "use the ids of its rows")


def _scored(scorer: Scorer, block: Path) -> dict[str, list[Columns]]:
    """Return the scores of one block."""
    rows = pq.read_table(block).to_pylist()
    figures = scorer.measure_all([(row, json.loads(row["output"])) for row in rows])
    pairs = zip(rows, figures, strict=True)
    scores = [{"id": str(row["id"]), "sample": row["sample"], **columns} for row, columns in pairs]
    return {table_name(scorer.schema()): scores}


def _write(out: Path, schema: Schema, tables: Iterable[Table]) -> None:
    """Write the scores in the order of the dataset, atomically."""
    if out.suffix == ".parquet":
        shards.write_tables(out, schema, tables)
        return
    with replacing(out) as temporary, temporary.open("w", encoding="utf-8") as file:
        for table in tables:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist())
