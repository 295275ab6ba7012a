"""Stage ``score`` for actions and domains: predictions measured by their rows, to scores and a summary.

Predictions are scored in chunks, so that each other reader of PDDL is loaded once a chunk; finished chunks
are kept beside the result until it is whole, and a killed run takes up where it was.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from orrery.engine import fingerprint, resumable_map
from orrery.model import OrreryError, UsageError
from orrery.scoring.domain_evaluation import ACTIONS, DOMAINS, Effort, evaluate_all
from orrery.scoring.domain_results import result, schema
from orrery.scoring.domain_summary import ScoreSummary
from orrery.scoring.predictions import read_predictions, without_repeats
from orrery.store import shards
from orrery.store.columns import Row
from orrery.store.parts import Parts

CHUNK = 10
FORMS = (".parquet", ".jsonl")
NEEDED: Mapping[str, tuple[str, ...]] = {
    ACTIONS: ("id", "header", "gold_domain", "problems"),
    DOMAINS: ("id", "gold_domain", "problems"),
}


@dataclass(frozen=True)
class Request:
    """What to score: predictions of a table, the dataset and split (None: all), where to, how thoroughly."""

    predictions: Path
    table: str
    dataset: Path
    split: str | None
    out: Path
    jobs: int = 1
    resume: bool = True
    effort: Effort = field(default_factory=Effort)


class Chunk(NamedTuple):
    """Some predictions: (id, sample, output) each."""

    number: int
    outputs: tuple[tuple[str, str, str], ...]


def run(request: Request) -> dict[str, Any]:
    """Write the scores to ``request.out`` and return the summary (``Summary.as_dict``).

    Raises:
        UsageError: a file or split that does not exist, an id that the dataset does not have.
        OrreryError: a file that cannot be read; nothing is written then.
    """
    if request.out.suffix not in FORMS:
        mend = "give it one of these endings"
        raise UsageError(f"--out {request.out}", "is neither .parquet nor .jsonl", mend)
    files = find_rows(request.dataset, request.table, request.split)
    rows = rows_by_id(files, request.table)
    chunks = list(_chunks(request, rows))
    work = request.out.with_name(request.out.name + ".unfinished")
    if not request.resume:
        shutil.rmtree(work, ignore_errors=True)
    columns = schema(request.table)
    mark = fingerprint([request.predictions, *files], effort=repr(request.effort), table=request.table)
    done = resumable_map(
        chunks,
        partial(_scored, files, request.table, request.effort),
        Parts.under(work, mark, (columns,)),
        size=1,
        jobs=request.jobs,
        label="score",
        describe=lambda chunk: f"chunk {chunk.number}: {chunk.outputs[0][0]} ...",
    )
    summary = ScoreSummary()
    _write(request.out, columns, _counted((row for tables in done for row in tables["scores"]), summary))
    shutil.rmtree(work)
    return summary.as_dict(len(rows))


def find_rows(dataset: Path, table: str, split: str | None) -> tuple[Path, ...]:
    """The files of a table and split of ``dataset``, or the one of a folder that ``orrery import`` wrote.

    An imported set has no splits: whichever is asked for, all of it is meant.

    Raises:
        UsageError: there are none.
    """
    if not dataset.is_dir():
        raise UsageError(f"dataset {dataset}", "no such folder", "build it: `make data`, or give --dataset")
    if files := shards.shards(dataset, table, split):
        return tuple(files)
    if (imported := dataset / f"{table}.parquet").is_file():
        return (imported,)
    there = sorted({shards.split_of(path) for path in shards.shards(dataset, table)})
    mend = f"splits there: {', '.join(there)}" if there else f"expected data/{table}/*.parquet"
    raise UsageError(f"dataset {dataset}", f"has no rows of {table} in split '{split or 'all'}'", mend)


@cache
def rows_by_id(files: tuple[Path, ...], table: str) -> Mapping[str, Mapping[str, Any]]:
    """The gold rows of ``files`` by id, in their order.

    Raises:
        OrreryError: a file cannot be read or lacks a column, or two rows share an id.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for path in files:
        for row in shards.read_rows(path):
            if lacking := [name for name in NEEDED[table] if name not in row]:
                raise OrreryError(str(path), f"has no column {lacking[0]}", f"give a dataset with {table}")
            if str(row["id"]) in found:
                raise OrreryError(str(path), f"two rows have the id '{row['id']}'", "ids must differ")
            found[str(row["id"])] = row
    return found


def _chunks(request: Request, rows: Mapping[str, Any]) -> Iterator[Chunk]:
    """The predictions in the order of the dataset, a few at a time."""
    order = {name: number for number, name in enumerate(rows)}
    outputs = []
    for found in without_repeats(request.predictions, read_predictions(request.predictions)):
        if found.id not in order:
            where = f"{request.predictions}:{found.line}"
            problem = f"'{found.id}' is no id of {request.table} in {request.dataset}"
            raise UsageError(where, problem, "use the ids of the table, and its --split")
        outputs.append((found.id, found.sample, found.output))
    rest = iter(sorted(outputs, key=lambda output: (order[output[0]], output[1])))
    number = 0
    while some := tuple(islice(rest, CHUNK)):
        yield Chunk(number, some)
        number += 1


def _scored(
    files: tuple[Path, ...], table: str, effort: Effort, chunk: Chunk
) -> dict[str, list[dict[str, Any]]]:
    """The scores of one chunk."""
    rows = rows_by_id(files, table)
    pairs = [(output, rows[name]) for name, _, output in chunk.outputs]
    found = evaluate_all(pairs, table, effort)
    return {
        "scores": [
            result(rows[name], sample, each)
            for each, (name, sample, _) in zip(found, chunk.outputs, strict=True)
        ]
    }


def _counted(rows: Iterable[Row], summary: ScoreSummary) -> Iterator[Row]:
    for row in rows:
        summary.add(row)
        yield row


def _write(out: Path, columns: Any, rows: Iterable[Row]) -> None:
    """The scores, whole or not at all."""
    if out.suffix == ".parquet":
        shards.write(out, columns, rows)
        return
    with shards.replacing(out) as temporary, temporary.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
