"""The report on questions and on plan tasks: rows, omitted candidates with reasons, and difficulty."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from orrery.config import Settings
from orrery.dataset.row_counts import RejectCount, RowCounts
from orrery.dataset.views import counts_of, counts_of_files
from orrery.families.plans.tasks import PLANS
from orrery.families.questions.cells import by_table, why_fewer
from orrery.families.questions.schemas import QUESTIONS, QuestionTable
from orrery.store.kinds import table_name

ASK, POSE = "generate-questions", "generate-plan-tasks"  # the stages with rejected candidates
FORMATS = ("gen", "bool", "mcq")
MEASURES = ("num_objects", "num_facts", "num_actions", "num_applicable_actions", "h_star", "num_states")
SOURCES = ("initial", "plan", "diverse", "walk", "barred")

Rejected: TypeAlias = dict[tuple[str, str], Counter[str]]  # by table and reason, the number by domain


@dataclass(frozen=True)
class AskedFigures:
    """Rows by domain and table, and rejected candidates by table and reason (short table names)."""

    rows: Mapping[str, Mapping[str, int]]
    rejected: Rejected

    def total(self, table: str = "") -> int:
        """Return the rows of a table over all domains, or of all tables."""
        counts = sum((Counter(by_table) for by_table in self.rows.values()), Counter[str]())
        return counts[table] if table else counts.total()

    def why(self, domain: str, table: str) -> list[tuple[str, int]]:
        """Return the reasons why a table lacks rows of a domain, most frequent first."""
        counts = {
            reason: by_domain[domain] for (name, reason), by_domain in self.rejected.items() if name == table
        }
        return sorted(
            ((reason, n) for reason, n in counts.items() if n), key=lambda pair: (-pair[1], pair[0])
        )


class CellCounts(NamedTuple):
    """Rows of question tables by table, split and domain, and the wanted number per cell.

    A cell has ``table``, ``split``, ``domain``, ``rows``, and the ``reason`` for fewer rows than wanted
    (otherwise empty). ``exact`` is whether the number is guaranteed.
    """

    wanted: int
    exact: bool
    cells: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class QuestionFigures(AskedFigures):
    """The content of the report on questions.

    ``kinds`` has the formats of each kind; ``decided`` the solved states by domain; ``difficulty`` a record
    for each domain. Rejected candidates are counted in states.
    """

    kinds: Mapping[str, Sequence[str]]
    decided: Mapping[str, int]
    difficulty: Sequence[Mapping[str, Any]] = ()
    counts: CellCounts | None = None

    def reasons(self, form: str) -> list[str]:
        """Return the reasons for rejected questions of a format, sorted."""
        return sorted({reason for table, reason in self.rejected if table.endswith(f"_{form}")})

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        states = sum(self.decided.values())
        unasked: dict[str, dict[str, Any]] = defaultdict(dict)
        for (table, reason), by_domain in self.rejected.items():
            unasked[table][reason] = {"states": by_domain.total(), "of": states, "by_domain": by_domain}
        return {
            "rows": self.rows,
            "cells": self.counts.cells if self.counts else [],
            "states": self.decided,
            "not_asked": unasked,
            "difficulty": {
                record["domain"]: {name: value for name, value in record.items() if name != "domain"}
                for record in self.difficulty
            },
        }


@dataclass(frozen=True)
class PlanFigures(AskedFigures):
    """The content of the report on plan tasks; rejected candidates are counted in tasks."""

    tasks: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        rejected = [
            {"task": task, "rule": rule, "by_domain": by_domain}
            for (task, rule), by_domain in self.rejected.items()
        ]
        return {"rows": self.rows, "rejected": rejected}


def question_figures(
    settings: Settings, rows: RowCounts, rejects: Iterable[RejectCount]
) -> QuestionFigures | None:
    """Return the figures of the questions of a build; None if it has no questions."""
    tables = {name: table for name, table in sorted(QUESTIONS.items()) if rows.total(name)}
    if not tables:
        return None
    decided = _decided_states(settings)
    return QuestionFigures(
        rows.by_domain({name: table.short for name, table in tables.items()}),
        unasked_states(rejects, decided),
        _kinds(tables.values()),
        decided,
        _difficulty(settings.outputs / "dataset", tables),
        _cell_counts(settings, rows),
    )


def plan_figures(rows: RowCounts, rejects: Iterable[RejectCount]) -> PlanFigures | None:
    """Return the figures of the plan tables of a build; None if it has no plan tables."""
    tables = {
        name: name.removeprefix("plan_") for name in map(table_name, PLANS.values()) if rows.total(name)
    }
    if not tables:
        return None
    counts: Rejected = defaultdict(Counter)
    for reject in rejects:
        if reject.stage == POSE:
            task, _, rule = reject.reason.rpartition(": ")
            counts[task.removeprefix("plan_"), rule][reject.domain] += reject.rows
    return PlanFigures(rows.by_domain(tables), dict(sorted(counts.items())), list(tables.values()))


def unasked_states(rejects: Iterable[RejectCount], decided: Mapping[str, int]) -> Rejected:
    """Return the number of states without a question.

    A state counts once even if its question lacks two claims.
    """
    counts: Rejected = defaultdict(Counter)
    for reject in rejects:
        if reject.stage == ASK and reject.domain in decided:
            table, _, reason = reject.reason.partition(": ")
            counts[table, reason][reject.domain] += reject.items
    return dict(sorted(counts.items()))


def _kinds(tables: Iterable[QuestionTable]) -> dict[str, list[str]]:
    """Return the formats of each kind, kinds sorted, open questions first."""
    formats: dict[str, list[str]] = {}
    for table in sorted(tables, key=lambda table: (table.task.name, FORMATS.index(table.format))):
        formats.setdefault(table.task.name, []).append(table.format)
    return formats


def _decided_states(settings: Settings) -> dict[str, int]:
    """Return the number of solved states by domain."""
    paths = [
        settings.outputs / "solutions" / name / "solved_states.parquet"
        for name in sorted(settings.all_domains)
    ]
    sql = """select split_part(problem_id, '/', 1) as domain, count(*) as states
        from files where not planned group by domain order by domain"""
    return {row["domain"]: row["states"] for row in counts_of_files(filter(Path.exists, paths), sql)}


def _difficulty(dataset: Path, tables: Iterable[str]) -> list[dict[str, Any]]:
    """Return a record per domain: its states with a question, by source, and the spread of each measure."""
    columns = ", ".join(("domain", "problem_id", "state_source", "state_step", *MEASURES))
    states = " union ".join(f"select {columns} from {table}" for table in tables)
    spreads = ", ".join(
        f"{{'least': min({m}), 'median': quantile_disc({m}, 0.5), 'most': max({m}), "
        f"'known': count({m}) / count(*)}} as {m}"
        for m in MEASURES
    )
    sources = ", ".join(f"'{name}': count(*) filter (state_source = '{name}')" for name in SOURCES)
    sql = f"""select domain, count(*) as states, {{{sources}}} as sources, {spreads}
        from ({states}) group by domain order by domain"""
    return counts_of(dataset, sql)


def _cell_counts(settings: Settings, rows: RowCounts) -> CellCounts:
    """Return the row counts of the dataset, with the cells that the stage of questions wrote."""
    size = settings.size.ask
    cells = [
        {
            "table": QUESTIONS[table].short,
            "split": split,
            "domain": cell["domain"],
            "rows": rows.total(table, split, cell["domain"]),
            "reason": why_fewer(cell, size.questions),
        }
        for (table, split), written in sorted(by_table(settings).items())
        for cell in written
    ]
    return CellCounts(size.questions, size.exact, cells)
