"""``orrery import planbench``: the published rows of PlanBench, each decided again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from orrery.corpus.planbench import MOST_STATES, TASKS, redecide
from orrery.corpus.planbench_files import PublishedPrompt, prompts, sources
from orrery.model import Row
from orrery.pddl.write import write_atom, write_problem
from orrery.stages.imports import STAGE, ImportLog, import_decided
from orrery.stages.summary import StageSummary
from orrery.store.kinds import BOOL, INT, STRING, STRINGS, as_json, column, table
from orrery.workers import ALONE, Workers

NAME = "planbench"
COUNTS = "counts.json"
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


class ImportedPrompts(NamedTuple):
    """The result of an import: its summary, and the counts by task and domain."""

    summary: StageSummary
    counts: list[dict[str, Any]]


def run(
    folder: Path, out: Path, *, workers: Workers = ALONE, max_states: int = MOST_STATES
) -> ImportedPrompts:
    """Write all rows below ``folder`` with their verdicts, and the counts.

    Results are stored next to ``out`` as they are computed, and a repeated call continues an interrupted run.

    Raises:
        OrreryError: there is no prompt file, or none can be read; nothing is written.
    """
    decide, files, log = partial(_decided, max_states=max_states), sources(folder), ImportLog()
    published, values = prompts(folder, log.tell), {"max_states": max_states}
    rows = import_decided(ROWS, published, decide, out, workers, files, _describe, log, _texts, **values)
    return ImportedPrompts(_summary(rows, log), counted(rows))


def _texts(rows: list[Row]) -> dict[str, str]:
    return {COUNTS: json.dumps(counted(rows), indent=1) + "\n"}


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


def _decided(prompt: PublishedPrompt, max_states: int) -> Row:
    verdict = redecide(prompt, max_states)
    names = ("right", "asks", "valid", "optimal", "least", "fails_at", "detail")
    return {
        "id": f"{prompt.file}/{prompt.number}",
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


def _summary(rows: list[Row], log: ImportLog) -> StageSummary:
    """Return the numbers of non-trivial rows, and of rows with a right answer."""
    right = Counter(row["right"] for row in rows)
    counts = {
        "rows": len(rows),
        "ask for something": sum(row["asks"] for row in rows),
        "answered rightly": right[True],
        "answered wrongly": right[False],
    }
    return StageSummary(STAGE, NAME, counts, warnings=log.warnings)
