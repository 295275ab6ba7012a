"""``orrery import acpbench``: rows of ACPBench and ACPBench Hard, with every answer decided again."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from orrery.corpus.acpbench import (
    OUTSIDE,
    UNDECIDED,
    Judgement,
    is_removal,
    question_files,
    questions,
    redecide,
    simplified_plans,
)
from orrery.corpus.released_files import NO_ROW, Tell
from orrery.families.drafts import MCQ, OPEN
from orrery.families.questions.schemas import QUESTIONS
from orrery.model import OrreryError, Row
from orrery.planning.decide import ProofBudget
from orrery.stages.imports import (
    STAGE,
    ImportLog,
    by_verdict,
    import_decided,
    imported_schema,
    left_out,
    verdict_on_published,
)
from orrery.stages.summary import StageSummary
from orrery.store.columns import from_rows
from orrery.store.kinds import STRING, column, table
from orrery.workers import ALONE, Workers

_DOMAIN = re.compile(r"\(\s*domain\s+([^\s()]+)", re.IGNORECASE)
NAME = "acpbench"
NO_ANSWER, NO_GRADE = "no answer is right", "replies cannot be graded"
# A row that is not decided has no removals, and so no positions.
_PLAN = {
    name: [field.with_nullable(True) for field in listed.schema if field.name in ("plan", "positions")]
    for name, listed in QUESTIONS.items()
}
SCHEMAS = {
    name: imported_schema(
        name,
        *("id", "group", "context", "question", "choices", "query", "answer", "PDDL_domain", "PDDL_problem"),
        *("domain", "kind", "answer_all", "answer_all_is"),
        own=[
            column("published_id", STRING, "The published id, which other files may have too"),
            *_PLAN[name],
        ],
    )
    for name in QUESTIONS
}


def run(
    folder: Path, out: Path, *, workers: Workers = ALONE, effort: ProofBudget | None = None
) -> StageSummary:
    """Write all rows below ``folder`` as a dataset, with their verdicts; the summary counts these by kind.

    Results are stored next to ``out`` as they are computed, and a repeated call continues an interrupted run.

    Raises:
        OrreryError: there is no file with questions, or none can be read; nothing is written.
    """
    effort, log = effort or ProofBudget(), ImportLog()
    published = list(_named(questions(folder, log.tell), log.tell))
    judge, files = partial(_judged, effort=effort), question_files(folder)
    rows = import_decided(
        NAME,
        [*SCHEMAS.values()],
        published,
        judge,
        out,
        workers,
        files,
        _describe,
        log,
        effort=asdict(effort),
    )
    return _summary(rows, log)


def _describe(row: Row) -> str:
    return f"{row['file']}, from row {row['number']}"


def _table_of_group(group: str) -> str:
    """Return the table of a published group; empty for an unknown one."""
    name, _, ending = group.rpartition("_")
    form = MCQ if ending == "mc" else ending
    tables = (n for n, listed in QUESTIONS.items() if (listed.task.group, listed.format) == (name, form))
    return next(tables, "")


def _named(rows: Sequence[Row], tell: Tell) -> Iterator[Row]:
    """Yield the rows with a known group and an answer of its form, with unique ids and their domains."""
    numbers: Counter[str] = Counter()
    domains = {row["context"].partition(".")[0]: domain for row in rows if (domain := _domain(row))}
    for row in rows:
        name = _table_of_group(row["group"])
        if not name:
            tell(_describe(row), f"has an unknown group: '{row['group']}'")
            continue
        try:
            answer = _answer_in_form(name, row)
        except OrreryError as error:
            tell(_describe(row), f"{NO_ROW}: {error.problem}")
            continue
        short = f"{NAME}/{QUESTIONS[name].short}/{row['id']}"
        numbers[short] += 1
        repeated = f"/{numbers[short]}" if numbers[short] > 1 else ""
        domain = _domain(row) or domains.get(row["context"].partition(".")[0], "")
        names = {"id": short + repeated, "published_id": row["id"], "domain": domain, "table": name}
        yield {**row, **names, "answer": answer}


def _domain(row: Row) -> str:
    """Return the name of the domain in the PDDL of a row; empty without PDDL."""
    match = _DOMAIN.search(row["PDDL_domain"])
    return match[1].lower() if match else ""


def _answer_in_form(name: str, row: Row) -> Any:
    """Return the published answer in the form of the table's columns.

    Raises:
        OrreryError: answer or options have another form.
    """
    stored = json.loads(row["stored"])
    answer: Any = int(stored) if name == "acp_val_gen" and str(stored).isdecimal() else stored
    values = {"answer": answer, **({"choices": row["choices"]} if row["choices"] else {})}
    if QUESTIONS[name].format == MCQ:
        values.setdefault("choices", None)
    checked = [field for field in QUESTIONS[name].schema if field.name in values]
    from_rows(table(name, "", *checked, key=()), [values])
    if name == "acp_just_gen" and not all(map(is_removal, answer)):
        problem = "a removal must be one action and its number from 1, or two actions and -1"
        raise OrreryError(f"{row['id']}: answer", problem)
    return answer


def _judged(row: Row, effort: ProofBudget) -> Mapping[str, Sequence[Row]]:
    """Return the row of its table: with the decided answer, or the published one if it is undecided.

    A row without a right answer, or with PDDL that graders cannot read, is only in the table of repairs.
    """
    judgement: Judgement = redecide(row, effort)
    name = row["table"]
    if judgement.answer is None and judgement.verdict not in (UNDECIDED, OUTSIDE):
        return left_out(row["id"], _describe(row), f"{NO_ANSWER}: {judgement.detail}")
    answer = row["answer"] if judgement.answer is None else judgement.answer
    usual = {"answer_all": answer, "answer_all_is": "unreachable", "plan": None, "positions": None}
    columns = {
        **usual,
        **row,
        **judgement.columns,
        "answer": answer,
        "kind": QUESTIONS[name].task.name,
        "published_answer": row["stored"],
        "published_verdict": judgement.verdict,
        "published_detail": judgement.detail,
    }
    asked = {field: columns[field] for field in SCHEMAS[name].names if field in columns}
    try:
        grade = verdict_on_published(_published_replies(name, row), asked)
    except ValueError as reason:
        return left_out(row["id"], _describe(row), f"{NO_GRADE}: {reason}")
    return {name: [{**asked, "published_grade": grade, "split": row["split"]}]}


def _published_replies(name: str, row: Row) -> Sequence[str]:
    """Return the replies that the published answer accepts."""
    listed = QUESTIONS[name]
    if name == "acp_just_gen":
        return [f"ANSWER: {plan}" for plan in simplified_plans(row["question"], row["answer"])]
    return listed.task.replies(row) if listed.format == OPEN else [row["answer"]]


def _summary(rows: Mapping[str, Sequence[Row]], log: ImportLog) -> StageSummary:
    """Return rows by kind and verdict; those outside the subset and those left out by reason."""
    listed = [row for by_table in rows.values() for row in by_table]
    decided = Counter(
        f"{row['kind']} {row['published_verdict']}" for row in listed if row["published_verdict"] != OUTSIDE
    )
    outside = Counter(
        f"outside: {row['published_detail'].split(':')[0]}"
        for row in listed
        if row["published_verdict"] == OUTSIDE
    )
    made = {"rows": len(listed), **dict(sorted(decided.items()))}
    omitted = dict(sorted(outside.items())) | log.num_left_out()
    warnings = (*by_verdict(rows), *log.warnings)
    return StageSummary(STAGE, NAME, made, omitted, warnings=warnings)
