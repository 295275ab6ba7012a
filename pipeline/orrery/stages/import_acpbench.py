"""``orrery import acpbench``: the published rows of ACPBench and ACPBench Hard, every answer decided anew."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from orrery.corpus.acpbench import KINDS, OUTSIDE, Judgement, redecide
from orrery.corpus.published_questions import question_files, questions
from orrery.parts import Parts, fingerprint, map_parts, package_fingerprint
from orrery.planning.decide import ProofBudget
from orrery.stages.summary import StageSummary
from orrery.store.kinds import INT, STRING, as_json, column, table, table_name
from orrery.store.shards import replacing, write
from orrery.workers import ALONE, Workers

STAGE = "import"
NAME = "acpbench"
PART = 10  # rows
ROWS = table(
    "acpbench",
    "Published questions as they are, with what was decided of their answers",
    column("id", STRING, "The published id"),
    column("group", STRING, "Kind and format of the question"),
    column("split", STRING, "train, validation or test, by the name of the file"),
    column("file", STRING, "The file, within the imported folder"),
    column("number", INT, "Number of the row in the file, from 0"),
    column("context", STRING, "The published context"),
    column("question", STRING, "The published question"),
    column("stored", STRING, "JSON: the published answer"),
    column("verdict", STRING, "right, incomplete, wrong, undecided or outside"),
    column("detail", STRING, "What is wrong, lacking or undecided, or why the row lies outside"),
    column("answer", STRING, "JSON: the complete answer in the published form; empty where there is none"),
    column("choices", STRING, "JSON: the published options; empty where there are none"),
    column("PDDL_domain", STRING, "The domain in PDDL; empty where the row has none"),
    column("PDDL_problem", STRING, "The problem in PDDL; empty where the row has none"),
)
Row = dict[str, Any]


def run(
    folder: Path, out: Path, *, workers: Workers = ALONE, effort: ProofBudget | None = None
) -> StageSummary:
    """Write all rows found below ``folder`` with their verdicts; the summary counts these by kind.

    Rows are kept as they are decided, beside ``out``: a run that was interrupted goes on where it stopped.

    Raises:
        OrreryError: there is no such file, or one that cannot be read; nothing is written.
    """
    rows, effort = questions(folder), effort or ProofBudget()
    parts = _parts(folder, out, effort)
    chunks = [rows[start : start + PART] for start in range(0, len(rows), PART)]
    judge = partial(_judged_rows, effort=effort)
    names = map_parts(judge, chunks, parts, workers, label="import acpbench", describe=_describe)
    judged = [row for table in parts.tables(names, table_name(ROWS)) for row in table.to_pylist()]
    with replacing(out) as target:
        target.mkdir(parents=True)
        write(target / f"{table_name(ROWS)}.parquet", ROWS, judged)
    parts.discard()
    return _summary(judged)


def _parts(folder: Path, out: Path, effort: ProofBudget) -> Parts:
    """Return what was decided before of files with this content and with this effort."""
    package = package_fingerprint()
    made_from = fingerprint(question_files(folder), effort=asdict(effort), package=package)
    return Parts(out.with_name(f".parts-of-{out.name}"), (ROWS,), made_from)


def _describe(chunk: Sequence[Row]) -> str:
    return f"{chunk[0]['file']}, from row {chunk[0]['number']}"


def _judged_rows(chunk: Sequence[Row], *, effort: ProofBudget) -> dict[str, list[Row]]:
    return {table_name(ROWS): [_judged(row, effort) for row in chunk]}


def _judged(row: Row, effort: ProofBudget) -> Row:
    judgement: Judgement = redecide({**row, "answer": json.loads(row["stored"])}, effort)
    answer = "" if judgement.answer is None else as_json(judgement.answer)
    return {**row, "verdict": judgement.verdict, "detail": judgement.detail, "answer": answer}


def _summary(rows: list[Row]) -> StageSummary:
    """Return rows by kind and verdict; those outside the subset by reason."""
    inside = [row for row in rows if row["verdict"] != OUTSIDE]
    counts = Counter(f"{KINDS[row['group']]} {row['verdict']}" for row in inside)
    outside = Counter("outside: " + row["detail"].split(":")[0] for row in rows if row["verdict"] == OUTSIDE)
    return StageSummary(
        STAGE, NAME, {"rows": len(rows), **dict(sorted(counts.items()))}, dict(sorted(outside.items()))
    )
