"""The report on questions and on plan tasks: rows, omitted candidates with reasons, and difficulty."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from orrery.config import Settings
from orrery.dataset.row_counts import RowCounts
from orrery.dataset.views import counts_of, counts_of_files
from orrery.families.plans.tasks import PLANS
from orrery.families.questions.cells import by_table, why_fewer
from orrery.families.questions.schemas import QUESTIONS, QuestionTable
from orrery.model import Row
from orrery.store.kinds import table_name

ASK, POSE = "generate-questions", "generate-plan-tasks"  # the stages with rejected candidates
FORMATS = ("gen", "bool", "mcq")
MEASURES = ("num_objects", "num_facts", "num_actions", "num_applicable_actions", "h_star", "num_states")
SOURCES = ("initial", "plan", "diverse", "walk", "barred")

Rejected: TypeAlias = dict[tuple[str, str], Counter[str]]  # by table and reason, the number by domain


def question_figures(settings: Settings, rows: RowCounts, rejects: Iterable[Row]) -> dict[str, Any] | None:
    """Return the figures of the questions of a build; None if it has no questions.

    ``rows`` has the rows by domain and table (short names), ``states`` the solved states by domain,
    ``not_asked`` the states without a question by table and reason, ``difficulty`` a record for each domain,
    and ``cells`` the rows by table, split and domain, with the ``reason`` for fewer rows than wanted.
    """
    tables = {name: table for name, table in sorted(QUESTIONS.items()) if rows.total(name)}
    if not tables:
        return None
    decided = _decided_states(settings)
    states, size = sum(decided.values()), settings.size.ask
    unasked: dict[str, dict[str, Any]] = defaultdict(dict)
    for (table, reason), left in unasked_states(rejects, decided).items():
        unasked[table][reason] = {"states": left.total(), "of": states, "by_domain": left}
    by_domain = rows.by_domain({name: table.short for name, table in tables.items()})
    return {
        "rows": by_domain,
        "totals": _totals(by_domain),
        "cells": _cells(settings, rows),
        "wanted": size.questions,
        "exact": size.exact,
        "states": decided,
        "not_asked": unasked,
        "reasons": {
            form: sorted(
                {reason for table in unasked if table.endswith(f"_{form}") for reason in unasked[table]}
            )
            for form in FORMATS
        },
        "kinds": _kinds(tables.values()),
        "difficulty": _difficulty(settings.outputs / "dataset", tables),
    }


def plan_figures(rows: RowCounts, rejects: Iterable[Row]) -> dict[str, Any] | None:
    """Return the figures of the plan tables of a build; None if it has no plan tables.

    ``rows`` has the rows by domain and task, ``rejected`` the numbers of candidates by task and rule.
    """
    tables = {
        name: name.removeprefix("plan_") for name in map(table_name, PLANS.values()) if rows.total(name)
    }
    if not tables:
        return None
    counts: Rejected = defaultdict(Counter)
    for reject in rejects:
        if reject["stage"] == POSE:
            task, _, rule = reject["reason"].rpartition(": ")
            counts[task.removeprefix("plan_"), rule][reject["domain"]] += reject["rows"]
    rejected = [
        {"task": task, "rule": rule, "by_domain": by_domain}
        for (task, rule), by_domain in sorted(counts.items())
    ]
    by_domain = rows.by_domain(tables)
    return {
        "rows": by_domain,
        "totals": _totals(by_domain),
        "tasks": list(tables.values()),
        "rejected": rejected,
    }


def _totals(by_domain: Mapping[str, Mapping[str, int]]) -> Counter[str]:
    """Return the rows of each table over all domains."""
    return sum(map(Counter, by_domain.values()), Counter[str]())


def unasked_states(rejects: Iterable[Row], decided: Mapping[str, int]) -> Rejected:
    """Return the number of states without a question.

    A state counts once even if its question lacks two claims.
    """
    counts: Rejected = defaultdict(Counter)
    for reject in rejects:
        if reject["stage"] == ASK and reject["domain"] in decided:
            table, _, reason = reject["reason"].partition(": ")
            counts[table, reason][reject["domain"]] += reject["items"]
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


def _difficulty(dataset: Path, tables: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return a record by domain: its states with a question, by source, and the spread of each measure."""
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
    return {record.pop("domain"): record for record in counts_of(dataset, sql)}


def _cells(settings: Settings, rows: RowCounts) -> list[dict[str, Any]]:
    """Return the row counts of the dataset, with the cells that the stage of questions wrote."""
    return [
        {
            "table": QUESTIONS[table].short,
            "split": split,
            "domain": cell["domain"],
            "rows": rows.total(table, split, cell["domain"]),
            "reason": why_fewer(cell, settings.size.ask.questions),
        }
        for (table, split), written in sorted(by_table(settings).items())
        for cell in written
    ]
