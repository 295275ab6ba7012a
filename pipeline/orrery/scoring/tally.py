"""Aggregate scores: shares, means and ratios with 95 % intervals, overall and by group.

One tally is used for every kind of prediction. Its scorer declares in ``Measures`` what is aggregated, in SQL
over the table of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from math import sqrt
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

Query: TypeAlias = Callable[[str], list[dict[str, Any]]]
Z = 1.959963984540054  # 95 % of the normal distribution is within this many standard deviations
# Whether some answer is yes, and whether all answers are equal; null if undecided answers decide that.
_SOME = "case when bool_or(answer) then true when count(answer) = count(*) then false end"
_ALIKE = "case when min(answer) <> max(answer) then false when count(answer) = count(*) then true end"


class RatioOf(NamedTuple):
    """The SQL of a sum divided by another; ``bounded`` if the ratio is between 0 and 1."""

    amount: str
    whole: str
    bounded: bool = True


@dataclass(frozen=True)
class Measures:
    """The figures to aggregate from a table of scores, in SQL over its columns.

    Args:
        shares: conditions that are true, false, or null (undecided) for a row.
        means: values whose mean is taken over the rows where they are not null.
        ratios: sums of columns divided by others.
        groups: the group value of a row, in printing order; null means no group.
        listed: lists of texts to count, for example classes of errors; null is not counted.
        best: the share that is also counted by id, as right if some output for the id is right.
        shown: figures printed for every group; the others are printed only for all rows together.
        printed: the entries of ``listed`` that are printed.
        alike: the set of a row, null if it has none; the number of sets of two rows or more with the same
            answer to ``best`` is counted.
        note: a remark printed with the figures.
    """

    shares: Mapping[str, str]
    groups: Mapping[str, str]
    listed: Mapping[str, str]
    best: str
    shown: tuple[str, ...]
    printed: tuple[str, ...]
    means: Mapping[str, str] = field(default_factory=dict)
    ratios: Mapping[str, RatioOf] = field(default_factory=dict)
    alike: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


def columns(*names: str) -> dict[str, str]:
    """Return the SQL of columns, by name."""
    return {name: f'"{name}"' for name in names}


def wilson(yes: float, total: float) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, 1927), from 0 to 1; the whole range without trials."""
    if not total:
        return 0.0, 1.0
    share, square = yes / total, Z * Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    spread = Z / (1 + square / total) * sqrt(share * (1 - share) / total + square / (4 * total * total))
    # Rounding must not exclude the share itself.
    return max(0.0, min(share, middle - spread)), min(1.0, max(share, middle + spread))


@contextmanager
def database(tables: Mapping[str, Any], views: Mapping[str, str] = MappingProxyType({})) -> Iterator[Query]:
    """Yield a function that returns the rows of an SQL statement over Arrow tables or data sets, by name.

    ``views`` has the SQL of views on them, by name.
    """
    import duckdb  # not part of the base installation, which scores single replies

    # One thread, so that sums do not depend on the order in which threads end.
    with closing(duckdb.connect(config={"threads": 1})) as connection:
        for name, table in tables.items():
            connection.register(name, table)
        for name, sql in views.items():
            connection.execute(f"create view {name} as {sql}")
        yield lambda sql: connection.sql(sql).to_arrow_table().to_pylist()


def query(sql: str, tables: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one SQL statement over Arrow tables or data sets, given by name."""
    with database(tables) as rows_of:
        return rows_of(sql)


def by_group(
    scores: Any, groups: Mapping[str, str], figures: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, dict[str, dict[str, Any]]]]:
    """Return figures of all rows of scores, and by the values of each group, sorted as text.

    Args:
        scores: the table of scores, as Arrow.
        groups: SQL of a property of a row, by name; a row with null is in no group.
        figures: SQL of aggregates, by name.
    """
    aggregates = ", ".join(f'{sql} as "{name}"' for name, sql in figures.items())
    by: dict[str, dict[str, dict[str, Any]]] = {}
    with database({"scores": scores}) as rows_of:
        [overall] = rows_of(f"select {aggregates} from scores")
        for group, value in groups.items():
            grouped = f"""
                select ({value})::varchar as group_value, {aggregates} from scores
                group by group_value having group_value is not null order by group_value
            """
            by[group] = {row.pop("group_value"): row for row in rows_of(grouped)}
    return overall, by


def tally(scores: Any, measures: Measures, rows: int) -> dict[str, Any]:
    """Return the summary of scores, an Arrow table or data set, of predictions for ``rows`` rows.

    It is sorted, so that equal scores give equal bytes.
    """
    best = measures.shares[measures.best]
    overall, by = by_group(scores, measures.groups, _aggregates(measures))
    by_id = _answers(scores, best, "id", _SOME)
    ids = sum(by_id.values())
    alike = {name: share(_answers(scores, best, key, _ALIKE, 2)) for name, key in measures.alike.items()}
    return {
        "outputs": overall["outputs"],
        "rows": rows,
        "rows_with_output": ids,
        "rows_without_output": rows - ids,
        "overall": _figures(overall, measures) | ({"alike": alike} if alike else {}),
        f"some_output_{measures.best}": share(by_id),
        "by": {
            group: {value: _figures(sums, measures) for value, sums in values.items()}
            for group, values in by.items()
            if ids
        },
        **{name: _counts(scores, texts) for name, texts in measures.listed.items()},
    }


def share(counts: Mapping[str, int]) -> dict[str, Any]:
    """Return counts of yes, no and undecided, the share of yes among the decided, and its interval."""
    yes, decided = counts["yes"], counts["yes"] + counts["no"]
    low, high = wilson(yes, decided)
    value = round(yes / decided, 6) if decided else None
    return {**counts, "share": value, "low": round(low, 6), "high": round(high, 6)}


def _aggregates(measures: Measures) -> dict[str, str]:
    """Return the SQL of the aggregates that the figures of a group need."""
    means = {name: RatioOf(sql, f"if(({sql}) is null, null, 1)") for name, sql in measures.means.items()}
    return {
        "outputs": "count(*)",
        **{name: _count_answers(answer) for name, answer in measures.shares.items()},
        **{name: _sums(ratio) for name, ratio in {**means, **measures.ratios}.items()},
    }


def _count_answers(answer: str) -> str:
    conditions = {"yes": answer, "no": f"not ({answer})", "undecided": f"({answer}) is null"}
    counts = ", ".join(f"{name}: count(*) filter ({sql})" for name, sql in conditions.items())
    return f"{{{counts}}}"


def _sums(ratio: RatioOf) -> str:
    """Return the SQL of the sums that a ratio and its interval need."""
    amount, whole = f"({ratio.amount})::double", f"({ratio.whole})::double"
    return f"""{{
        count: count({amount}), amount: sum({amount}), whole: sum({whole}),
        squares: sum({amount} * {amount}), mixed: sum({amount} * {whole}),
        whole_squares: sum({whole} * {whole})
    }}"""


def _answers(scores: Any, answer: str, key: str, together: str, least: int = 1) -> dict[str, int]:
    """Return how often rows of one key, ``least`` or more, answer ``together`` yes, no, or neither."""
    sql = f"""
        select {_count_answers("answer")} as counts from (
            select {together} as answer from (select {key} as key, {answer} as answer from scores)
            where key is not null group by key having count(*) >= {least}
        )
    """
    [row] = query(sql, {"scores": scores})
    counts: dict[str, int] = row["counts"]
    return counts


def _counts(scores: Any, texts: str) -> dict[str, int]:
    """Return how often each text occurs, sorted by text."""
    sql = f"""
        select text, count(*) as rows from (select unnest({texts}) as text from scores)
        where text is not null group by text order by text
    """
    return {row["text"]: row["rows"] for row in query(sql, {"scores": scores})}


def _figures(sums: Mapping[str, Any], measures: Measures) -> dict[str, Any]:
    """Return all figures of one group: ``outputs``, and by name ``shares``, ``means`` and ``ratios``."""
    figures = {
        "shares": {name: share(sums[name]) for name in measures.shares},
        "means": {name: _ratio(sums[name], bounded=True) for name in measures.means},
        "ratios": {name: _ratio(sums[name], bounded=of.bounded) for name, of in measures.ratios.items()},
    }
    return {"outputs": sums["outputs"], **{name: values for name, values in figures.items() if values}}


def _ratio(sums: Mapping[str, Any], *, bounded: bool) -> dict[str, Any]:
    """Return a ratio and its interval; for a ``bounded`` ratio by Wilson's formula."""
    count, whole = sums["count"], sums["whole"]
    if not whole:
        return {"value": None, "low": None, "high": None, "of": 0}
    value = sums["amount"] / whole
    variance = 0.0
    if count > 1:  # with rows as sampling units (linearised; Cochran, 1977, chapter 6)
        squares = max(0.0, sums["squares"] - 2 * value * sums["mixed"] + value**2 * sums["whole_squares"])
        variance = squares * count / (count - 1) / whole**2
    if bounded:
        value = min(1.0, value)
        # The number of right-or-wrong rows with the same variance.
        trials = value * (1 - value) / variance if variance > 0 else count
        low, high = wilson(value * trials, trials)
    else:
        spread = Z * sqrt(variance)
        low, high = max(0.0, value - spread), value + spread
    figures = {"value": value, "low": low, "high": high}
    return {name: round(figure, 6) for name, figure in figures.items()} | {"of": round(whole)}
