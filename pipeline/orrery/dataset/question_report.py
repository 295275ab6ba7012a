"""The report on questions: rows, states without a row and why, and difficulty."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orrery.config import Settings
from orrery.dataset.cell_counts import CellCounts, cell_counts
from orrery.dataset.row_counts import RejectCount, RowCounts
from orrery.dataset.views import counts_of, counts_of_files
from orrery.families.questions.schemas import QUESTIONS, QuestionTable

FORMATS: Mapping[str, str] = {"gen": "open", "bool": "yes/no", "mcq": "choice"}
STAGE = "ask"
MEASURES = ("num_objects", "num_facts", "num_actions", "branching", "h_star", "num_states")
SOURCES = ("initial", "plan", "diverse", "walk")


class UnaskedStates(NamedTuple):
    """The number of states without a question for one reason, out of how many, and by domain."""

    states: int
    of: int
    by_domain: Mapping[str, int]


class QuestionFigures(NamedTuple):
    """The content of the report on questions.

    ``kinds`` has the formats of each kind; ``rows`` the rows by domain and table (``app_gen``); ``decided``
    the decided states by domain; ``unasked`` the states without a question by table and reason;
    ``difficulty`` a record for each domain.
    """

    kinds: Mapping[str, Sequence[str]]
    rows: Mapping[str, Mapping[str, int]]
    decided: Mapping[str, int]
    unasked: Mapping[str, Mapping[str, UnaskedStates]]
    difficulty: Sequence[Mapping[str, Any]] = ()
    cells: CellCounts | None = None

    def why(self, domain: str, table: str) -> list[tuple[str, int]]:
        """Return the reasons why states of a domain have no row in a table, most frequent first."""
        counts = {
            reason: states.by_domain.get(domain, 0) for reason, states in self.unasked.get(table, {}).items()
        }
        return sorted(
            [(reason, n) for reason, n in counts.items() if n], key=lambda pair: (-pair[1], pair[0])
        )

    def total(self, table: str = "") -> int:
        """Return the rows of a table over all domains, or of all tables."""
        return sum(
            n for by_table in self.rows.values() for name, n in by_table.items() if table in ("", name)
        )

    def reasons(self, form: str) -> list[str]:
        """Return the reasons for which questions of a format were not asked, sorted."""
        tables = [f"{kind}_{form}" for kind, forms in self.kinds.items() if form in forms]
        return sorted({reason for table in tables for reason in self.unasked.get(table, {})})

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "rows": self.rows,
            "cells": self.cells.as_json() if self.cells else [],
            "states": self.decided,
            "not_asked": {
                table: {reason: states._asdict() for reason, states in by_reason.items()}
                for table, by_reason in self.unasked.items()
            },
            "difficulty": {
                record["domain"]: {name: value for name, value in record.items() if name != "domain"}
                for record in self.difficulty
            },
        }


def question_figures(
    settings: Settings, rows: RowCounts, rejects: Iterable[RejectCount]
) -> QuestionFigures | None:
    """Return the figures of the questions of a build; None if it has no questions."""
    dataset = settings.outputs / "dataset"
    tables = {name: table for name, table in sorted(QUESTIONS.items()) if rows.total(name)}
    if not tables:
        return None
    decided = _decided_states(settings)
    return QuestionFigures(
        kinds=_kinds(tables.values()),
        rows=rows.by_domain({name: table.short for name, table in tables.items()}),
        decided=decided,
        unasked=unasked_states(rejects, decided),
        difficulty=_difficulty(dataset, tables),
        cells=cell_counts(settings, rows),
    )


def _kinds(tables: Iterable[QuestionTable]) -> dict[str, list[str]]:
    """Return the formats of each kind, kinds sorted, open questions first."""
    formats: dict[str, list[str]] = {}
    for table in sorted(tables, key=lambda table: (table.task.name, list(FORMATS).index(table.format))):
        formats.setdefault(table.task.name, []).append(table.format)
    return formats


def _decided_states(settings: Settings) -> dict[str, int]:
    """Return the number of decided states by domain."""
    paths = [settings.outputs / "solutions" / name / "states.parquet" for name in sorted(settings.domains)]
    sql = """select split_part(problem_id, '/', 1) as domain, count(*) as states
        from files where not planned group by domain order by domain"""
    return {row["domain"]: row["states"] for row in counts_of_files(filter(Path.exists, paths), sql)}


def unasked_states(
    rejects: Iterable[RejectCount], decided: Mapping[str, int]
) -> dict[str, dict[str, UnaskedStates]]:
    """Return the states without a question, by table and reason.

    A state counts once even if a question lacks two claims on it.
    """
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for reject in rejects:
        if reject.stage == STAGE and reject.domain in decided:
            table, _, reason = reject.reason.partition(": ")
            counts[table, reason][reject.domain] += reject.items
    unasked: dict[str, dict[str, UnaskedStates]] = defaultdict(dict)
    for (table, reason), by_domain in sorted(counts.items()):
        unasked[table][reason] = UnaskedStates(by_domain.total(), sum(decided.values()), by_domain)
    return unasked


def _difficulty(dataset: Path, tables: Iterable[str]) -> list[dict[str, Any]]:
    """Return a record a domain: its states with a question, by source, and the spread of each measure."""
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
