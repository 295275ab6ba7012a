"""``orrery import planbench``: the published rows of PlanBench, each decided again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from orrery.corpus.planbench import MOST_STATES, TASKS, RowVerdict, redecide
from orrery.corpus.planbench_files import PublishedPrompt, prompts, sources
from orrery.corpus.planbench_rows import COLUMNS, asked_row
from orrery.model import Row
from orrery.pddl.write import write_atom, write_problem
from orrery.stages.imports import (
    STAGE,
    ImportLog,
    by_verdict,
    import_decided,
    imported_schema,
    verdict_on_published,
)
from orrery.stages.summary import StageSummary
from orrery.store.kinds import BOOL, INT, STRING, STRINGS, as_json, column, table
from orrery.workers import ALONE, Workers

NAME = "planbench"
COUNTS = "counts.json"
UNREAD = "in no table for models, because files or the request cannot be read"
UNDECIDED = "in no table for models, because no problem is given or no answer is decided"
ROWS = table(
    "planbench",
    "Published prompts as they are, with what was decided of them",
    column("id", STRING, "File and number of the row"),
    column("task", STRING, "The published task: `t1` to `t8_3`"),
    column("ours", STRING, "What we call the task: `generation`, `reuse` and so on"),
    column("domain", STRING, "The published name of the domain"),
    column("file", STRING, "The file, within the imported folder"),
    column("number", INT, "Number of the row in the file, from 0"),
    column("instance", INT, "The published number of the instance"),
    column("query", STRING, "The published prompt"),
    column("stored", STRING, "JSON: the published answer"),
    column("right", BOOL, "Whether the published answer is right; null where undecided", nullable=True),
    column("asks", BOOL, "Whether the row asks for anything: no rule applies; null if unread", nullable=True),
    column("rules", STRINGS, "The rules by which it asks for nothing"),
    column("valid", BOOL, "Whether the plan is one; null where there is none to judge", nullable=True),
    column("optimal", BOOL, "Whether no plan is better; null where undecided", nullable=True),
    column("least", INT, "Length, or cost, of a best plan; null where undecided", nullable=True),
    column(
        "fails_at", INT, "The step that fails, counted from 1; 0 where the goal is missed; null if valid",
        nullable=True,
    ),
    column("plan", STRINGS, "The stored plan, or the sequence shown where none is wanted, one step each"),
    column("problem_pddl", STRING, "The problem decided, in PDDL; empty where it is not understood"),
    column("detail", STRING, "What is wrong with the answer, or not understood"),
)  # fmt: skip


ASKED = {
    f"plan_{task}": imported_schema(
        f"plan_{task}",
        *("id", *columns),
        own=[column("rules", STRINGS, "The rules by which the row asks for nothing")],
    )
    for task, columns in COLUMNS.items()
}
_VERDICTS = {True: "right", False: "wrong", None: "undecided"}


def run(
    folder: Path, out: Path, *, workers: Workers = ALONE, max_states: int = MOST_STATES
) -> tuple[StageSummary, list[dict[str, Any]]]:
    """Write all rows below ``folder`` with their verdicts; return the summary, and counts by task and domain.

    Results are stored next to ``out`` as they are computed, and a repeated call continues an interrupted run.

    Raises:
        OrreryError: there is no prompt file, or none can be read; nothing is written.
    """
    decide, files, log = partial(_decided, max_states=max_states), sources(folder), ImportLog()
    published, schemas, values = (
        prompts(folder, log.tell),
        [ROWS, *ASKED.values()],
        {"max_states": max_states},
    )
    rows = import_decided(
        NAME, schemas, published, decide, out, workers, files, _describe, log, _texts, **values
    )
    return _summary(rows, log), counted(rows[NAME])


def _texts(rows: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    return {COUNTS: json.dumps(counted(rows[NAME]), indent=1) + "\n"}


def counted(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return counts by task (in published order) and domain; ``rules`` has the counts of each rule."""
    names = itemgetter("task", "ours", "domain")
    counts = []
    for (task, ours, domain), group in groupby(sorted(rows, key=names), names):
        listed = list(group)
        right = Counter(row["right"] for row in listed)
        counts.append(
            {
                "task": task,
                "ours": ours,
                "domain": domain,
                "rows": len(listed),
                "right": right[True],
                "wrong": right[False],
                "undecided": right[None],
                **{name: sum(row[name] is True for row in listed) for name in ("valid", "optimal", "asks")},
                "rules": dict(sorted(Counter(rule for row in listed for rule in row["rules"]).items())),
            }
        )
    return counts


def _describe(prompt: PublishedPrompt) -> str:
    return f"{prompt.file}, from row {prompt.number}"


def _decided(prompt: PublishedPrompt, max_states: int) -> dict[str, list[Row]]:
    """Return the row with its verdict, and the row of its plan table if it can be asked."""
    verdict = redecide(prompt, max_states)
    row = _row(prompt, verdict)
    asked = asked_row(prompt, verdict)
    if asked is None:
        return {NAME: [row]}
    name = asked.row["group"]
    place = {column: row[column] for column in ("file", "number", "rules", "split")}
    published = {
        "id": f"{NAME}/{row['id']}",
        "published_answer": row["stored"],
        "published_verdict": _VERDICTS[verdict.right],
        "published_detail": row["detail"],
        "published_grade": verdict_on_published([asked.published_reply], asked.row),
    }
    columns = {column: asked.row[column] for column in COLUMNS[asked.row["task"]]}
    return {NAME: [row], name: [{**columns, **published, **place}]}


def _row(prompt: PublishedPrompt, verdict: RowVerdict) -> Row:
    names = ("right", "asks", "valid", "optimal", "least", "fails_at", "detail")
    return {
        "id": f"{prompt.file}/{prompt.number}",
        "split": "test",
        "task": f"t{prompt.task}",
        "ours": TASKS.get(prompt.task, ""),
        "domain": prompt.config.name if prompt.config else prompt.domain,
        **{name: getattr(prompt, name) for name in ("file", "number", "instance", "query")},
        "stored": as_json(prompt.stored),
        **{name: getattr(verdict, name) for name in names},
        "rules": list(verdict.rules),
        "plan": [write_atom(step) for step in verdict.plan],
        "problem_pddl": "" if verdict.problem is None else write_problem(verdict.problem),
    }


def _summary(rows: Mapping[str, Sequence[Row]], log: ImportLog) -> StageSummary:
    """Return the numbers of non-trivial rows, of rows with a right answer, and of rows for models."""
    listed = rows[NAME]
    right = Counter(row["right"] for row in listed)
    asked = sum(map(len, rows.values())) - len(listed)
    counts = {
        "rows": len(listed),
        "ask for something": sum(row["asks"] is True for row in listed),
        "answered rightly": right[True],
        "answered wrongly": right[False],
        "in tables for models": asked,
    }
    unread = sum(row["asks"] is None for row in listed)
    left_out = {UNREAD: unread, UNDECIDED: len(listed) - asked - unread}
    return StageSummary(STAGE, NAME, counts, left_out, warnings=(*by_verdict(rows), *log.warnings))
