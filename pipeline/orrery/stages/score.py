"""Stage ``score``: a file of predictions measured by text_to_pddl, to a file of scores and a summary.

Outputs are joined with their rows in blocks of BLOCK rows, kept beside the result until it is whole; so
no more than a few blocks are held at once, and a killed run takes up where it was.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from orrery.catalog import Catalog, entry_of
from orrery.engine import fingerprint, map_parts
from orrery.model import OrreryError, UsageError
from orrery.scoring.gold import SPLITS, Gold, find_gold
from orrery.scoring.joining import Joining
from orrery.scoring.pairs import Costs, Known, score_pair
from orrery.scoring.predictions import Prediction, read_predictions, without_repeats
from orrery.scoring.results import SCHEMA, result
from orrery.scoring.tally import Tally
from orrery.store import shards
from orrery.store.columns import Row
from orrery.store.parts import Parts

BLOCK = 500  # a second's work, and what is done again after an interruption
PIECE = 64_000_000  # characters of output held before they are written away
FORMS = (".parquet", ".jsonl")
BLOCKS = "blocks"


@dataclass(frozen=True)
class Request:
    """What to score: predictions, the dataset and split (None: all), where to, and with how much effort."""

    predictions: Path
    dataset: Path
    split: str | None
    out: Path
    jobs: int = 1
    resume: bool = True
    costs: Costs = field(default_factory=Costs)


def run(root: Path, request: Request) -> dict[str, Any]:
    """Write the scores to ``request.out`` and return the summary (``Tally.as_dict``).

    Raises:
        UsageError: a file or split that does not exist, an id that the dataset does not have.
        OrreryError: a file that cannot be read; nothing is written then.
    """
    if request.out.suffix not in FORMS:
        raise UsageError(
            f"--out {request.out}", "is neither .parquet nor .jsonl", "give it one of these endings"
        )
    gold = find_gold(request.dataset, request.split)
    read_predictions(request.predictions)  # says so if there is no such file
    work = request.out.with_name(request.out.name + ".unfinished")
    if not request.resume:
        shutil.rmtree(work, ignore_errors=True)
    parts = Parts.under(work, _fingerprint(root, request, gold), (SCHEMA,))
    blocks = _blocks(request, gold, parts.folder / BLOCKS)
    score = partial(_scored, root, request.costs)
    names = map_parts(blocks, score, parts, jobs=request.jobs, label="score", describe=lambda path: path.name)
    tally = Tally()
    rows = (row for table in parts.tables(names, "scores") for row in table.to_pylist())
    _write(request.out, _counted(rows, tally))
    shutil.rmtree(work)
    return tally.as_dict(len(gold.ids))


def _fingerprint(root: Path, request: Request, gold: Gold) -> str:
    """What the parts depend on: predictions, rows, code and domains."""
    folders = [path for name in ("domains", "generators") if (path := root / name).is_dir()]
    return fingerprint([request.predictions, *gold.files, *folders], costs=repr(request.costs))


# ---- joining


def _blocks(request: Request, gold: Gold, folder: Path) -> list[Path]:
    """Files with outputs and the rows they answer, joined once; those of an earlier run if they are there."""
    if not folder.is_dir():
        joining = Joining(gold, BLOCK, PIECE, partial(_unknown, request))
        outputs = without_repeats(request.predictions, read_predictions(request.predictions))
        try:
            with shards.replacing(folder) as temporary:
                joining.write(outputs, temporary)
        except OrreryError:
            shutil.rmtree(folder.parent.parent)  # nothing of it is of use
            raise
    return sorted(folder.glob("*.parquet"))


def _unknown(request: Request, prediction: Prediction) -> UsageError:
    """The error for an id that the split does not have; says so if another split has it."""
    where = f"{request.predictions}:{prediction.line}"
    for split in SPLITS if request.split else ():
        try:
            there = prediction.id in find_gold(request.dataset, split).ids
        except OrreryError:
            continue
        if there:
            problem = f"'{prediction.id}' is a row of split '{split}', not '{request.split}'"
            return UsageError(where, problem, f"score it with --split {split}, or --split all")
    problem = f"'{prediction.id}' is no id of {request.dataset}"
    return UsageError(where, problem, "use the ids of the table text_to_pddl")


# ---- scoring


def _scored(root: Path, costs: Costs, block: Path) -> dict[str, list[dict[str, Any]]]:
    """The scores of one block."""
    rows = pq.read_table(block).to_pylist()
    return {"scores": [_score(root, costs, row) for row in rows]}


def _score(root: Path, costs: Costs, row: dict[str, Any]) -> dict[str, Any]:
    known = known_domain(root, str(row.get("domain") or ""))
    return result(row, row["sample"], score_pair(json.loads(row["output"]), row, known=known, costs=costs))


@cache
def known_domain(root: Path, name: str) -> Known | None:
    """What the folders know of a domain; None where there is no such folder."""
    if name not in Catalog(root).names:
        return None
    entry = entry_of(root, name)
    return Known(entry.domain, entry.planner, entry.closure_rule)


# ---- writing


def _counted(rows: Iterable[Row], tally: Tally) -> Iterator[Row]:
    for row in rows:
        tally.add(row)
        yield row


def _write(out: Path, rows: Iterable[Row]) -> None:
    """The scores, in the order of the dataset, whole or not at all."""
    if out.suffix == ".parquet":
        shards.write(out, SCHEMA, rows)
        return
    with shards.replacing(out) as temporary, temporary.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
