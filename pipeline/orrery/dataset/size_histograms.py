"""How large rows are: the distribution of each measure by family, as histograms over common bins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.charts import RANGE, Bar, histograms
from orrery.dataset.measures import MEASURES, expression, schema_of
from orrery.dataset.selection import rows_of
from orrery.dataset.views import counts_of_each
from orrery.families import families
from orrery.store.kinds import Schema
from orrery.store.shards import splits

MOST_BINS = 24
TAIL = 0.995  # values above this quantile go into the last bin, which is open
WIDTHS = (1, 2, 5)


class Histogram(NamedTuple):
    """A measure by family: the rows in each bin, the rows by value, and the drawing.

    A bin is its least and its greatest value; the greatest is None in the last bin if that is open.
    """

    measure: str
    title: str
    bins: Sequence[tuple[int, int | None]]
    counts: Mapping[str, Sequence[int]]
    values: Mapping[str, Counter[int]]
    svg: str

    def middle(self, family: str) -> int:
        """Return the (lower) median over the rows of a family."""
        return quantile(self.values[family], 0.5)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        least = [least for least, _ in self.bins]
        return {"measure": self.measure, "title": self.title, "least": least, "rows": self.counts}


def size_histograms(dataset: Path) -> list[Histogram]:
    """Return the histogram of every measure that some table has, in the order of ``MEASURES``."""
    values = _values_by_table(dataset)
    by_measure: dict[str, dict[str, Counter[int]]] = {measure: {} for measure in MEASURES}
    for name, family in families().items():
        for table in family.tables:
            for measure, counts in values.get(table.name, {}).items():
                by_measure[measure].setdefault(name, Counter()).update(counts)
    return [_histogram(measure, by_family) for measure, by_family in by_measure.items() if by_family]


def quantile(values: Counter[int], share: float) -> int:
    """Return the least value such that at least ``share`` of all values are no greater.

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
    """Return bins of one round width for all values; the last bin is open if a few values are far away."""
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
    """Return how often each value occurs, by table and measure."""
    statements = {
        table: f"select measure, value, count(*) as n from "
        f"(select unnest([{', '.join(records)}], recursive := true) from {table}) "
        "where value is not null group by all order by all"
        for table, by_split in splits(dataset).items()
        if (records := _records(schema_of(next(iter(by_split.values()))[0])))
    }
    # A statement a table: one for all tables would hold the memory of each until its end.
    counted = counts_of_each(dataset, list(statements.values())) if statements else iter(())
    values: dict[str, dict[str, Counter[int]]] = {}
    for table, rows in zip(statements, counted, strict=True):
        for row in rows:
            values.setdefault(table, {}).setdefault(row["measure"], Counter())[row["value"]] = row["n"]
    return values


def _records(schema: Schema) -> list[str]:
    """Return the measures of a table, each with its value, as records in SQL."""
    return [
        f"{{'measure': '{measure}', 'value': cast({sql} as bigint)}}"
        for measure in MEASURES
        if (sql := expression(measure, schema))
    ]


def _histogram(measure: str, values: Mapping[str, Counter[int]]) -> Histogram:
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
    return Histogram(measure, title, bins, counts, values, histograms(title, bars, places))


def _filled(bins: Sequence[tuple[int, int | None]], values: Counter[int]) -> list[int]:
    """Return how many values each bin holds."""
    numbers, first = [0] * len(bins), bins[0][0]
    width = bins[1][0] - first if len(bins) > 1 else 0
    for value, n in values.items():
        numbers[min((value - first) // width, len(bins) - 1) if width else 0] += n
    return numbers


def _spelled(least: int, most: int | None) -> str:
    if most is None:
        return f"{least}+"
    return str(least) if least == most else f"{least}{RANGE}{most}"
