"""Distributions for the report: sizes of rows by family, right answers by table, outcomes of planners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa

from orrery.dataset.charts import RANGE, Bar, chart
from orrery.dataset.selection import MEASURES, expression, rows_of, schema_of
from orrery.dataset.views import counts_of, counts_of_each
from orrery.families import Table, families, tables
from orrery.store.kinds import Schema
from orrery.store.shards import splits

MOST_BINS = 24
TAIL = 0.995  # values above this quantile are in the last bin, which is open
WIDTHS = (1, 2, 5)


def size_histograms(dataset: Path, templates: Path) -> list[dict[str, Any]]:
    """Return the histogram of every measure that some table has, in the order of ``MEASURES``.

    ``rows`` has the rows of each family by bin, ``least`` the minimum of each bin, ``medians`` the (lower)
    median of each family, and ``svg`` the chart.
    """
    values = values_by_family(dataset)
    return [_histogram(measure, values[measure], templates) for measure in MEASURES if measure in values]


def values_by_family(dataset: Path) -> dict[str, dict[str, Counter[int]]]:
    """Return the frequency of each value, by measure and family."""
    by_table = _values_by_table(dataset)
    by_measure: dict[str, dict[str, Counter[int]]] = {}
    for name, family in families().items():
        for table in family.tables:
            for measure, counts in by_table.get(table.name, {}).items():
                by_measure.setdefault(measure, {}).setdefault(name, Counter()).update(counts)
    return by_measure


def quantile(values: Counter[int], share: float) -> int:
    """Return the smallest value such that at least ``share`` of all values are at most this value.

    Raises:
        ValueError: there are no values.
    """
    passed = 0
    for value in sorted(values):
        passed += values[value]
        if passed >= share * values.total():
            return value
    raise ValueError("there are no values")


def bins_of(values: Counter[int]) -> list[tuple[int, int | None]]:
    """Return bins of equal round width for all values; the last bin is open if a few values are far away."""
    least, most, last = min(values), max(values), quantile(values, TAIL)
    width = next(
        step * 10**power
        for power in range(20)
        for step in WIDTHS
        if last // (step * 10**power) - least // (step * 10**power) < MOST_BINS
    )
    starts = range(least // width * width, last + 1, width)
    bins: list[tuple[int, int | None]] = [(start, start + width - 1) for start in starts]
    if most > starts[-1] + width - 1:
        bins[-1] = (starts[-1], None)
    return bins


def _values_by_table(dataset: Path) -> dict[str, dict[str, Counter[int]]]:
    """Return the frequency of each value, by table and measure."""
    statements = {
        table: f"select measure, value, count(*) as n from "
        f"(select unnest([{', '.join(records)}], recursive := true) from {table}) "
        "where value is not null group by all order by all"
        for table, by_split in splits(dataset).items()
        if (records := _records(schema_of(next(iter(by_split.values()))[0])))
    }
    # One statement per table, because one for all tables would keep the memory of each until its end.
    counted = counts_of_each(dataset, list(statements.values())) if statements else iter(())
    values: dict[str, dict[str, Counter[int]]] = {}
    for table, rows in zip(statements, counted, strict=True):
        for row in rows:
            values.setdefault(table, {}).setdefault(row["measure"], Counter())[row["value"]] = row["n"]
    return values


def _records(schema: Schema) -> list[str]:
    """Return the measures of a table with their values, as records in SQL."""
    return [
        f"{{'measure': '{measure}', 'value': cast({sql} as bigint)}}"
        for measure in MEASURES
        if (sql := expression(measure, schema))
    ]


def _histogram(measure: str, values: Mapping[str, Counter[int]], templates: Path) -> dict[str, Any]:
    """Return the histogram of a measure from its values by family."""
    title, bins = MEASURES[measure].title, bins_of(sum(values.values(), Counter[int]()))
    counts = {family: _filled(bins, counter) for family, counter in values.items()}
    places = [_spelled(least, most) for least, most in bins]
    bars = [
        Bar(family, place, n, rows_of(family, **{measure: ends}))
        for family, numbers in counts.items()
        for place, ends, n in zip(places, bins, numbers, strict=True)
        if n
    ]
    return {
        "measure": measure,
        "title": title,
        "least": [least for least, _ in bins],
        "rows": counts,
        "medians": {family: quantile(counter, 0.5) for family, counter in values.items()},
        "svg": chart(templates, "histograms", title, bars, places=places),
    }


def _filled(bins: Sequence[tuple[int, int | None]], values: Counter[int]) -> list[int]:
    """Return the number of values in each bin."""
    numbers, first = [0] * len(bins), bins[0][0]
    width = bins[1][0] - first if len(bins) > 1 else 0
    for value, n in values.items():
        numbers[min((value - first) // width, len(bins) - 1) if width else 0] += n
    return numbers


def _spelled(least: int, most: int | None) -> str:
    if most is None:
        return f"{least}+"
    return str(least) if least == most else f"{least}{RANGE}{most}"


MOST_ANSWERS = 4  # maximum number of answers
ANSWERS = ("answer", "valid", "solvable")  # possible answer columns; the first that a table has is used
ANSWER_COLOURS = ("var(--share)", "var(--other)", "var(--third)", "var(--fourth)")


def answer_balances(dataset: Path, templates: Path) -> list[dict[str, Any]]:
    """Return the tables with few distinct answers, grouped by their ``answers``, with a chart of each group.

    A table has its ``rows`` by answer, and the ``column`` with the answer.
    """
    by_answers: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for counts in _answer_counts(dataset):
        if 1 < len(counts["rows"]) <= MOST_ANSWERS:
            by_answers.setdefault(tuple(counts["rows"]), []).append(counts)
    return [
        {"answers": answers, "tables": counts, "svg": _balance_chart(templates, answers, counts)}
        for answers, counts in sorted(by_answers.items(), key=itemgetter(0))
    ]


def _answer_counts(dataset: Path) -> list[dict[str, Any]]:
    names = splits(dataset).keys() & tables().keys()
    columns = {name: column for name in sorted(names) if (column := _answer_column(tables()[name]))}
    selects = [
        f"select '{name}' as name, {column}::varchar as answer from {name}"
        for name, column in columns.items()
    ]
    sql = f"select name, answer, count(*) as n from ({' union all '.join(selects)}) group by all order by all"
    rows: dict[str, dict[str, int]] = {name: {} for name in columns}
    for row in counts_of(dataset, sql) if selects else ():
        rows[row["name"]][row["answer"]] = row["n"]
    return [{"table": name, "column": column, "rows": rows[name]} for name, column in columns.items()]


def _answer_column(table: Table) -> str:
    """Return the answer column if it is text or boolean; otherwise empty."""
    if not table.scorer or "group" not in table.schema.names:
        return ""
    name = next((name for name in ANSWERS if name in table.schema.names), "")
    return name if name and table.schema.field(name).type in (pa.string(), pa.bool_()) else ""


def _balance_chart(templates: Path, answers: Sequence[str], balance: Sequence[Mapping[str, Any]]) -> str:
    bars = [
        Bar(counts["table"], answer, n, rows_of(counts["table"], **{counts["column"]: answer}))
        for counts in balance
        for answer, n in counts["rows"].items()
    ]
    title = f"Shares of the right answer: {', '.join(answers)}"
    colours = dict(zip(answers, ANSWER_COLOURS, strict=False))
    return chart(templates, "stacks", title, bars, parts="table", width=250, colours=colours, shares=True)


PROBLEMS = "problems"
OUTCOME_COLOURS = {
    "optimal plan": "var(--share)",
    "plan": "var(--other)",
    "no plan, proven": "var(--third)",
    "undecided": "var(--bad)",
}
CONDITIONS: Mapping[str, Mapping[str, Any]] = {
    "optimal plan": {"solvable": True, "plan_optimal": True},
    "plan": {"solvable": True, "plan_optimal": False},
    "no plan, proven": {"solvable": False},
    "undecided": {"solvable": None},
}
_OUTCOME = """case when solvable is null then 'undecided' when not solvable then 'no plan, proven'
    when plan_optimal then 'optimal plan' else 'plan' end as outcome"""
_STATEMENTS = (
    f"select domain, {_OUTCOME}, count(*) as problems from {PROBLEMS} group by all order by all",
    f"select planner, {_OUTCOME}, count(*) as problems from {PROBLEMS} group by all order by all",
    f"select length(num_states::varchar) - 1 as decade, count(*) as problems from {PROBLEMS} group by all",
)


def planner_work(dataset: Path, templates: Path) -> dict[str, Any]:
    """Return the ``outcomes`` of planners on the problems of a dataset by domain, with charts.

    ``planners`` has the problems by planner and outcome, ``total`` those by outcome.
    """
    by_domain, by_planner, by_decade = counts_of_each(dataset, _STATEMENTS)
    outcomes: dict[str, dict[str, int]] = {}
    for row in by_domain:
        outcomes.setdefault(row["domain"], {})[row["outcome"]] = row["problems"]
    states = {row["decade"]: row["problems"] for row in by_decade}
    return {
        "outcomes": outcomes,
        "total": sum(map(Counter, outcomes.values()), Counter[str]()),
        "planners": [(row["planner"], row["outcome"], row["problems"]) for row in by_planner],
        "svg": _outcome_chart(templates, outcomes),
        "states_svg": _states_chart(templates, states),
    }


def _outcome_chart(templates: Path, outcomes: Mapping[str, Mapping[str, int]]) -> str:
    bars = [
        Bar(domain, outcome, n, rows_of(PROBLEMS, domain=domain, **CONDITIONS[outcome]))
        for domain, by_outcome in outcomes.items()
        for outcome in OUTCOME_COLOURS
        if (n := by_outcome.get(outcome))
    ]
    colours = {
        name: colour for name, colour in OUTCOME_COLOURS.items() if any(bar.place == name for bar in bars)
    }
    title = "Outcomes of the planners by domain"
    return chart(templates, "stacks", title, bars, parts="domain", width=250, colours=colours, shares=False)


def _states_chart(templates: Path, problems: Mapping[int | None, int]) -> str:
    """Return the chart of reachable states by power of ten; the last bar has unfinished searches."""
    decades = [decade for decade in problems if decade is not None]
    ends: Iterable[int] = range(min(decades), max(decades) + 1) if decades else ()
    places = [_power_of_ten(decade) for decade in ends]
    bars = [
        Bar(
            "problems",
            _power_of_ten(decade),
            n,
            rows_of(PROBLEMS, num_states=(10**decade, 10 ** (decade + 1) - 1)),
        )
        for decade in ends
        if (n := problems.get(decade))
    ]
    if unexplored := problems.get(None):
        places.append("more")
        bars.append(Bar("problems", "more", unexplored, rows_of(PROBLEMS, num_states=None)))
    return chart(templates, "histograms", "Reachable states", bars, places=places)


def _power_of_ten(decade: int) -> str:
    return ("1", "10", "100", "1 k", "10 k", "100 k", "1 M", "10 M", "100 M")[decade] if decade < 9 else "1 G"
