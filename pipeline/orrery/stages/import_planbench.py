"""``orrery import planbench``: the published rows of PlanBench, every one decided anew."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from orrery.corpus.planbench import MOST_STATES, TASKS, RowVerdict, redecide
from orrery.corpus.planbench_files import PublishedPrompt, prompts, sources
from orrery.parts import Parts, fingerprint, map_parts, package_fingerprint
from orrery.pddl.write import write_atom, write_problem
from orrery.stages.summary import StageSummary
from orrery.store.kinds import BOOL, INT, STRING, STRINGS, as_json, column, table, table_name
from orrery.store.shards import replacing, write
from orrery.workers import ALONE, Workers

STAGE = "import"
NAME = "planbench"
COUNTS = "counts.json"
PART = 10  # rows
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
    column("asks", BOOL, "Whether the row asks for anything: no rule applies"),
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
Row = dict[str, Any]


class TaskCounts(NamedTuple):
    """The counts of one task and domain; ``rules`` has how often each rule applied."""

    task: str
    ours: str
    domain: str
    rows: int
    right: int
    wrong: int
    undecided: int
    valid: int
    optimal: int
    asks: int
    rules: Mapping[str, int]


class ImportedPrompts(NamedTuple):
    """What an import found: its summary, and the counts by task and domain."""

    summary: StageSummary
    counts: list[TaskCounts]


def run(
    folder: Path, out: Path, *, workers: Workers = ALONE, max_states: int = MOST_STATES
) -> ImportedPrompts:
    """Write all rows found below ``folder`` with what was decided of them, and the counts.

    Rows are kept as they are decided, beside ``out``: a run that was interrupted goes on where it stopped.

    Raises:
        OrreryError: there is no such file, or one that cannot be read; nothing is written.
    """
    rows = prompts(folder)
    made_from = fingerprint(sources(folder), max_states=max_states, package=package_fingerprint())
    parts = Parts(out.with_name(f".parts-of-{out.name}"), (ROWS,), made_from)
    chunks = [rows[start : start + PART] for start in range(0, len(rows), PART)]
    decide = partial(_decided_rows, max_states=max_states)
    names = map_parts(decide, chunks, parts, workers, label=f"import {NAME}", describe=_describe)
    decided = [row for table in parts.tables(names, table_name(ROWS)) for row in table.to_pylist()]
    counts = counted(decided)
    with replacing(out) as target:
        target.mkdir(parents=True)
        write(target / f"{table_name(ROWS)}.parquet", ROWS, decided)
        listed = json.dumps([task_counts._asdict() for task_counts in counts], indent=1) + "\n"
        (target / COUNTS).write_text(listed, encoding="utf-8")
    parts.discard()
    return ImportedPrompts(_summary(decided), counts)


def counted(rows: Iterable[Mapping[str, Any]]) -> list[TaskCounts]:
    """Return the counts by task and domain, tasks in the published order."""
    by_task: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        by_task[row["task"], row["domain"]].append(row)
    return [
        TaskCounts(
            task,
            task_rows[0]["ours"],
            domain,
            rows=len(task_rows),
            right=sum(row["right"] is True for row in task_rows),
            wrong=sum(row["right"] is False for row in task_rows),
            undecided=sum(row["right"] is None for row in task_rows),
            valid=sum(row["valid"] is True for row in task_rows),
            optimal=sum(row["optimal"] is True for row in task_rows),
            asks=sum(row["asks"] for row in task_rows),
            rules=dict(sorted(Counter(rule for row in task_rows for rule in row["rules"]).items())),
        )
        for (task, domain), task_rows in sorted(by_task.items())
    ]


def _describe(chunk: Sequence[PublishedPrompt]) -> str:
    return f"{chunk[0].file}, from row {chunk[0].number}"


def _decided_rows(chunk: Sequence[PublishedPrompt], *, max_states: int) -> dict[str, list[Row]]:
    return {table_name(ROWS): [_decided(prompt, max_states) for prompt in chunk]}


def _decided(prompt: PublishedPrompt, max_states: int) -> Row:
    verdict: RowVerdict = redecide(prompt, max_states)
    return {
        "id": f"{prompt.file}/{prompt.number}",
        "task": f"t{prompt.task}",
        "ours": TASKS[prompt.task],
        "domain": prompt.config.name,
        "file": prompt.file,
        "number": prompt.number,
        "instance": prompt.instance,
        "query": prompt.query,
        "stored": as_json(prompt.stored),
        "right": verdict.right,
        "asks": verdict.asks,
        "rules": list(verdict.rules),
        "valid": verdict.valid,
        "optimal": verdict.optimal,
        "least": verdict.least,
        "fails_at": verdict.fails_at,
        "plan": [write_atom(step) for step in verdict.plan],
        "problem_pddl": "" if verdict.problem is None else write_problem(verdict.problem),
        "detail": verdict.detail,
    }


def _summary(rows: list[Row]) -> StageSummary:
    """Return how many rows ask for anything, and how many are answered rightly."""
    counts = {
        "rows": len(rows),
        "ask for something": sum(row["asks"] for row in rows),
        "answered rightly": sum(row["right"] is True for row in rows),
        "answered wrongly": sum(row["right"] is False for row in rows),
    }
    return StageSummary(STAGE, NAME, counts)
