"""``orrery import acpbench``: rows of ACPBench and ACPBench Hard, with every answer decided again."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path

from orrery.corpus.acpbench import KINDS, OUTSIDE, Judgement, question_files, questions, redecide
from orrery.model import Row
from orrery.planning.decide import ProofBudget
from orrery.stages.imports import STAGE, ImportLog, import_decided
from orrery.stages.summary import StageSummary
from orrery.store.kinds import INT, STRING, as_json, column, table
from orrery.workers import ALONE, Workers

NAME = "acpbench"
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


def run(
    folder: Path, out: Path, *, workers: Workers = ALONE, effort: ProofBudget | None = None
) -> StageSummary:
    """Write all rows below ``folder`` with their verdicts; the summary counts these by kind.

    Results are stored next to ``out`` as they are computed, and a repeated call continues an interrupted run.

    Raises:
        OrreryError: there is no file with questions, or none can be read; nothing is written.
    """
    effort, log = effort or ProofBudget(), ImportLog()
    judge, files = partial(_judged, effort=effort), question_files(folder)
    rows, values = questions(folder, log.tell), asdict(effort)
    return _summary(
        import_decided(ROWS, rows, judge, out, workers, files, _describe, log, effort=values), log
    )


def _describe(row: Row) -> str:
    return f"{row['file']}, from row {row['number']}"


def _judged(row: Row, effort: ProofBudget) -> Row:
    judgement: Judgement = redecide({**row, "answer": json.loads(row["stored"])}, effort)
    answer = "" if judgement.answer is None else as_json(judgement.answer)
    return {**row, "verdict": judgement.verdict, "detail": judgement.detail, "answer": answer}


def _summary(rows: list[Row], log: ImportLog) -> StageSummary:
    """Return rows by kind and verdict; those outside the subset by reason."""
    inside = [row for row in rows if row["verdict"] != OUTSIDE]
    counts = Counter(f"{KINDS[row['group']]} {row['verdict']}" for row in inside)
    outside = Counter("outside: " + row["detail"].split(":")[0] for row in rows if row["verdict"] == OUTSIDE)
    made = {"rows": len(rows), **dict(sorted(counts.items()))}
    return StageSummary(STAGE, NAME, made, dict(sorted(outside.items())), warnings=log.warnings)
