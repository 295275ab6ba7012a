"""``orrery import acpbench``: the published rows of ACPBench and ACPBench Hard, every answer decided anew."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from orrery.analysis.prove import Effort
from orrery.corpus.acpbench import KINDS, OUTSIDE, Judgement, redecide
from orrery.corpus.published_questions import question_files, questions
from orrery.engine import fingerprint, resumable_map
from orrery.stages.summary import StageSummary
from orrery.store.kinds import INT, STRING, as_json, column, table, table_name
from orrery.store.parts import Parts
from orrery.store.shards import TEMPORARY, replacing, write

STAGE = "import"
NAME = "acpbench"
PART = 10  # rows; a part is written as soon as its rows are decided
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


def run(folder: Path, out: Path, *, jobs: int = 1, effort: Effort | None = None) -> StageSummary:
    """Write all rows found below ``folder`` with their verdicts; the summary counts these by kind.

    Rows are kept as they are decided, beside ``out``: a run that was interrupted goes on where it stopped.

    Raises:
        OrreryError: there is no such file, or one that cannot be read; nothing is written.
    """
    rows, effort = questions(folder), effort or Effort()
    parts = _parts(folder, out, effort)
    judge = partial(_judged, effort=effort)
    judged: list[Row] = []
    for tables in resumable_map(
        rows, judge, parts, size=PART, jobs=jobs, label="import acpbench", describe=_describe
    ):
        judged += map(dict, tables[table_name(ROWS)])
    with replacing(out) as target:
        target.mkdir(parents=True)
        write(target / f"{table_name(ROWS)}.parquet", ROWS, judged)
    parts.discard()
    return _summary(judged)


def _parts(folder: Path, out: Path, effort: Effort) -> Parts:
    """Return what was decided before of files with this content and with this effort."""
    made_from = fingerprint(question_files(folder), effort=asdict(effort))
    return Parts.under(out.with_name(f"{TEMPORARY}rows-of-{out.name}"), made_from, (ROWS,))


def _describe(row: Row) -> str:
    return f"{row['file']}, row {row['number']}"


def _judged(row: Row, *, effort: Effort) -> dict[str, list[Row]]:
    found: Judgement = redecide({**row, "answer": json.loads(row["stored"])}, effort)
    answer = "" if found.answer is None else as_json(found.answer)
    return {table_name(ROWS): [{**row, "verdict": found.verdict, "detail": found.detail, "answer": answer}]}


def _summary(rows: list[Row]) -> StageSummary:
    """Return rows by kind and verdict; those outside the subset by reason."""
    inside = [row for row in rows if row["verdict"] != OUTSIDE]
    counts = Counter(f"{KINDS[row['group']]} {row['verdict']}" for row in inside)
    outside = Counter("outside: " + row["detail"].split(":")[0] for row in rows if row["verdict"] == OUTSIDE)
    return StageSummary(
        STAGE, NAME, {"rows": len(rows), **dict(sorted(counts.items()))}, dict(sorted(outside.items()))
    )
