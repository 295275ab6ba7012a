"""Stage ``score``: score a file of predictions of any kind; write the scores and a summary.

Outputs are joined with their rows in blocks, which are stored next to the result until it is complete. So
only a few blocks are in memory, and a killed run can be continued.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyarrow.dataset import dataset as arrow_files

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


def run(
    scorer: Scorer,
    predictions: Path,
    dataset: Path,
    split: str | None,
    out: Path,
    *,
    workers: Workers = ALONE,
    resume: bool = True,
) -> dict[str, Any]:
    """Write the scores of predictions to the file ``out`` and return the summary (``tally``).

    The rows are those of a split of the dataset; None means all splits.

    Raises:
        UsageError: a file or split does not exist, an id is not in the dataset, or the scores
            would replace the replies.
        OrreryError: a file or row cannot be read; then nothing is written.
    """
    if out.suffix not in FORMS:
        mend = "change the name of the file"
        raise UsageError(f"--out {out}", "must end in .parquet or .jsonl", mend)
    if out.resolve() == predictions.resolve():
        raise UsageError(f"--out {out}", "is the file of the predictions", "name another file")
    gold = find_rows(dataset, split, type(scorer))
    read_predictions(predictions)  # raises an error if the file does not exist
    work = out.with_name(out.name + ".unfinished")
    if not resume:
        remove_folder(work)
    files = [predictions, *gold.files, *scorer.depends]
    made_from = fingerprint(files, scorer=repr(scorer), package=package_fingerprint())
    schema = scorer.schema()
    parts = Parts(work / made_from, (schema,), made_from)
    unknown = partial(_unknown, predictions, dataset, split, gold)
    blocks = _blocks(predictions, gold, unknown, parts.folder / BLOCKS)
    score = partial(_scored, scorer)
    names = map_parts(score, blocks, parts, workers, label="score", describe=lambda path: path.name)
    table = table_name(schema)
    _write(out, schema, parts.tables(names, table))
    files = [parts.part(name).folder / f"{table}.parquet" for name in names]
    summary = tally(arrow_files(files, schema), scorer.measures, len(gold.ids))
    remove_folder(work)
    problems = count_problems(gold)
    return summary | ({} if problems is None else {"problems": problems})


def _blocks(
    predictions: Path, gold: GoldRows, unknown: Callable[[Prediction], UsageError], folder: Path
) -> list[Path]:
    """Return files with outputs and their rows, joined once and reused by later runs."""
    if not folder.is_dir():
        outputs = without_repeats(predictions, read_predictions(predictions))
        try:
            with replacing(folder) as temporary:
                join(gold, outputs, temporary, unknown)
        except OrreryError:
            remove_folder(folder.parent.parent)  # the earlier content cannot be used
            raise
    return sorted(folder.glob("*.parquet"))


def _unknown(
    predictions: Path, dataset: Path, chosen: str | None, gold: GoldRows, prediction: Prediction
) -> UsageError:
    """Return the error for an id that the split does not have; it says so if another split has the id."""
    source = f"{predictions}:{prediction.line}"
    for split in shards.SPLITS if chosen else ():
        try:
            in_split = prediction.id in find_rows(dataset, split, gold.scorer).ids
        except OrreryError:
            continue
        if in_split:
            problem = f"'{prediction.id}' is a row of split '{split}', not '{chosen}'"
            return UsageError(source, problem, f"score it with --split {split}, or --split all")
    answered = gold.scorer.answered(dataset)
    problem = f"'{prediction.id}' is not an id of {answered} in {dataset}"
    return UsageError(source, problem, "use the ids of its rows")


def _scored(scorer: Scorer, block: Path) -> dict[str, list[Columns]]:
    """Return the scores of one block."""
    rows = pq.read_table(block).to_pylist()
    figures = scorer.measure_all([(row, json.loads(row["output"]), None) for row in rows])
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
