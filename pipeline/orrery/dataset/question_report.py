"""The report on questions: rows made and not asked, and why; difficulty; what constant replies score."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from orrery.config import Settings
from orrery.dataset.baselines import EVERY, RANDOM, Baseline, baselines
from orrery.dataset.cell_counts import CellCounts, cell_counts
from orrery.dataset.views import counts_of
from orrery.families.problems.schemas import REJECTS
from orrery.families.questions.schemas import QUESTIONS, QuestionTable
from orrery.families.questions.states import STATES
from orrery.store.by_digest import ByDigest, digests
from orrery.store.shards import read_batches, read_rows, splits

FORMATS: Mapping[str, str] = {"gen": "open", "bool": "yes/no", "mcq": "choice"}
STAGE = "ask"
MEASURES = ("num_objects", "num_facts", "num_actions", "branching", "h_star", "num_states")
SOURCES = ("initial", "plan", "diverse", "walk")


class Missing(NamedTuple):
    """The number of states not asked about for one reason, of how many, and by domain."""

    states: int
    of: int
    by_domain: Mapping[str, int]


class Spread(NamedTuple):
    """A measure over the states asked about in a domain; None where it is known of none of them."""

    least: int | None
    median: int | None
    most: int | None
    known: float


class Difficulty(NamedTuple):
    """The states asked about in a domain: their number, sources, and measures by name."""

    states: int
    sources: Mapping[str, int]
    measures: Mapping[str, Spread]


class Questions(NamedTuple):
    """The content of the report on questions.

    ``kinds`` has the formats of each kind; ``made`` the rows by domain and table; ``missing`` by table and
    reason the states not asked about; ``decided`` by domain the states that were decided; ``constant`` what
    replies without any skill score.
    """

    kinds: Mapping[str, Sequence[str]]
    made: Mapping[str, Mapping[str, int]]
    decided: Mapping[str, int]
    missing: Mapping[str, Mapping[str, Missing]]
    difficulty: Mapping[str, Difficulty]
    constant: Sequence[Baseline] = ()
    cells: CellCounts | None = None

    def why(self, domain: str, table: str) -> list[tuple[str, int]]:
        """Return the reasons why states of a domain were not asked about in a table, most frequent first."""
        reasons = self.missing.get(table, {})
        found = [(reason, each.by_domain.get(domain, 0)) for reason, each in reasons.items()]
        return sorted([(reason, n) for reason, n in found if n], key=lambda pair: (-pair[1], pair[0]))

    def total(self, table: str = "") -> int:
        """Return the rows of a table over all domains, or of all tables."""
        return sum(n for made in self.made.values() for name, n in made.items() if table in ("", name))

    def reasons(self, form: str) -> list[str]:
        """Return the reasons for which questions of a format were not asked, sorted."""
        tables = [f"{kind}_{form}" for kind, forms in self.kinds.items() if form in forms]
        return sorted({reason for table in tables for reason in self.missing.get(table, {})})

    def skilless(self) -> dict[str, dict[str, dict[str, Baseline]]]:
        """Return the baseline scores: by domain for a random next action, else by rule and kind."""
        found: dict[str, dict[str, dict[str, Baseline]]] = {}
        for each in self.constant:
            if each.rule == RANDOM:
                found.setdefault("next action, by domain", {}).setdefault(each.rule, {})[each.domain] = each
            elif each.domain == EVERY:
                line = f"{each.rule}, {FORMATS.get(each.format, each.format)}"
                found.setdefault("by kind", {}).setdefault(line, {})[each.kind] = each
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "rows": self.made,
            "cells": self.cells.as_json() if self.cells else [],
            "states": self.decided,
            "not_asked": {
                table: {reason: each._asdict() for reason, each in by_reason.items()}
                for table, by_reason in self.missing.items()
            },
            "difficulty": {
                domain: {
                    "states": each.states,
                    "sources": each.sources,
                    **{name: spread._asdict() for name, spread in each.measures.items()},
                }
                for domain, each in self.difficulty.items()
            },
            "baselines": [each._asdict() for each in self.constant],
        }


def questions_of(settings: Settings) -> Questions | None:
    """Return the summary of the questions of a build; None where none were asked."""
    dataset = settings.outputs / "dataset"
    there = splits(dataset)
    tables = {name: table for name, table in sorted(QUESTIONS.items()) if name in there}
    if not tables:
        return None
    decided = _decided(settings)
    return Questions(
        _kinds(tables.values()),
        _made(dataset, tables),
        decided,
        _missing(settings, decided),
        _difficulties(dataset, tables),
        baselines(dataset),
        cells=cell_counts(settings),
    )


def _kinds(tables: Iterable[QuestionTable]) -> dict[str, list[str]]:
    """Return the formats of each kind, kinds sorted, open questions first."""
    found: dict[str, list[str]] = {}
    for table in sorted(tables, key=lambda table: (table.kind.name, list(FORMATS).index(table.format))):
        found.setdefault(table.kind.name, []).append(table.format)
    return found


def _made(dataset: Path, tables: Mapping[str, QuestionTable]) -> dict[str, dict[str, int]]:
    """Return rows by domain and table (``app_gen``)."""
    parts = [
        f"select '{table.short}' as t, domain, count(*) as n from {name} group by all"
        for name, table in tables.items()
    ]
    found: dict[str, dict[str, int]] = {}
    for row in sorted(
        counts_of(dataset, f"{' union all '.join(parts)} order by all"), key=lambda row: row["domain"]
    ):
        found.setdefault(row["domain"], {})[row["t"]] = row["n"]
    return found


def _decided(settings: Settings) -> dict[str, int]:
    """Return states that were decided, by domain."""
    paths = {name: settings.outputs / "solutions" / name / "states.parquet" for name in settings.domains}
    there = {name: path for name, path in sorted(paths.items()) if path.exists()}
    counts = {
        name: sum(not row["planned"] for row in read_rows(path, STATES, ["planned"]))
        for name, path in there.items()
    }
    return {name: n for name, n in counts.items() if n}


def _missing(settings: Settings, decided: Mapping[str, int]) -> dict[str, dict[str, Missing]]:
    """Return states not asked about, by table and reason.

    A state counts once even if it lacks both claims.
    """
    states: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name in sorted(decided):
        path = settings.outputs / "questions" / name / "rejects.parquet"
        for said, count in _left_out(path).items() if path.exists() else ():
            table, _, reason = said.partition(": ")
            states[table, reason][name] = count
    found: dict[str, dict[str, Missing]] = defaultdict(dict)
    for (table, reason), by_domain in sorted(states.items()):
        found[table][reason] = Missing(by_domain.total(), sum(decided.values()), by_domain)
    return found


def _left_out(path: Path) -> dict[str, int]:
    """Return how many states are left out of a table of rejects, by what is said."""
    known: dict[str, int] = {}
    counts: Counter[int] = Counter()
    with ByDigest([("said", np.uint32)]) as records:
        for rows in read_batches(path, REJECTS, ["item", "reason"]):
            said, items = rows["reason"].to_pylist(), rows["item"].to_pylist()
            given = digests(
                f"{why}\n{each.rpartition('/')[0]}" for why, each in zip(said, items, strict=True)
            )
            records.add(given, said=[known.setdefault(why, len(known)) for why in said])
        for some in records:
            _, first = np.unique(some["digest"], return_index=True)
            counts.update(some["said"][first].tolist())
    return {why: counts[number] for why, number in known.items()}


def _difficulties(dataset: Path, tables: Iterable[str]) -> dict[str, Difficulty]:
    """Return the states asked about, each once, by domain."""
    columns = ", ".join(("domain", "problem_id", "state_source", "state_step", *MEASURES))
    parts = [f"select {columns} from {table}" for table in tables]
    measured = ", ".join(
        f"min({m}) as {m}_least, quantile_disc({m}, 0.5) as {m}_median, max({m}) as {m}_most, "
        f"count({m}) / count(*) as {m}_known"
        for m in MEASURES
    )
    sources = ", ".join(f"count(*) filter (state_source = '{name}') as {name}" for name in SOURCES)
    figures = f"domain, count(*) as states, {sources}, {measured}"
    sql = f"select {figures} from ({' union '.join(parts)}) group by domain"
    rows = sorted(counts_of(dataset, sql), key=lambda row: str(row["domain"]))
    return {row["domain"]: _difficulty(row) for row in rows}


def _difficulty(row: Mapping[str, Any]) -> Difficulty:
    spreads = {
        m: Spread(row[f"{m}_least"], row[f"{m}_median"], row[f"{m}_most"], row[f"{m}_known"])
        for m in MEASURES
    }
    return Difficulty(row["states"], {name: row[name] for name in SOURCES}, spreads)
