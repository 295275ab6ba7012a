"""How large rows are: the distribution of each measure by family, as histograms over common bins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from orrery.dataset.charts import RANGE, Bar, histograms
from orrery.dataset.measures import MEASURES, TOKENS, expression, prompt_columns, schema_of, token_counts
from orrery.dataset.selection import rows_of
from orrery.dataset.views import counts_of
from orrery.families import families
from orrery.store.kinds import Schema
from orrery.store.shards import read_batches, splits

MOST_BINS = 24
TAIL = 0.995  # what lies above this share of all values goes into the last bin, which is open
WIDTHS = (1, 2, 5)
AT_A_TIME = 1_000  # rows: their words take ten times their texts


class Histogram(NamedTuple):
    """A measure by family: how many rows fall in each bin, the least and most of all, and the drawing.

    Of a bin, ``bins`` has the least and the most value; the most is None in the last one where it is open.
    """

    measure: str
    title: str
    bins: Sequence[tuple[int, int | None]]
    counts: Mapping[str, Sequence[int]]
    values: Mapping[str, Counter[int]]
    svg: str

    def middle(self, family: str) -> int:
        """Return the median over the rows of a family."""
        counts = self.values[family]
        wanted, passed = (counts.total() + 1) // 2, 0
        for value in sorted(counts):
            passed += counts[value]
            if passed >= wanted:
                return value
        raise ValueError(f"{self.measure} has no values in {family}")

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        least = [least for least, _ in self.bins]
        return {"measure": self.measure, "title": self.title, "least": least, "rows": self.counts}


def shapes(dataset: Path) -> list[Histogram]:
    """Return the histogram of every measure that some table has, in the order of ``MEASURES``."""
    counted = _tokens(dataset) | _measured(dataset)
    found: dict[str, dict[str, Counter[int]]] = {name: {} for name in MEASURES}
    for family, its in families().items():
        for table in its.tables:
            for measure in MEASURES:
                if values := counted.get((table.name, measure)):
                    found[measure].setdefault(family, Counter()).update(values)
    return [histogram(measure, by) for measure, by in found.items() if by]


def histogram(measure: str, values: Mapping[str, Counter[int]]) -> Histogram:
    """Return the histogram of values by family."""
    title, bins = MEASURES[measure].title, bins_of(sum(values.values(), Counter[int]()))
    counts = {family: _filled(bins, some) for family, some in values.items()}
    places = [_spelled(least, most) for least, most in bins]
    bars = [
        Bar(family, place, n, rows_of(family, **{measure: ends}))
        for family, some in counts.items()
        for place, ends, n in zip(places, bins, some, strict=True)
        if n
    ]
    return Histogram(measure, title, bins, counts, values, histograms(title, bars, places))


def bins_of(values: Counter[int]) -> list[tuple[int, int | None]]:
    """Return bins of one round width that hold all values, the last one open where a few are far away."""
    least, most, total = min(values), max(values), values.total()
    passed, last = 0, most
    for value in sorted(values):
        passed += values[value]
        if passed >= TAIL * total:
            last = value
            break
    width = next(
        step * 10**power
        for power in range(20)
        for step in WIDTHS
        if last // (step * 10**power) - least // (step * 10**power) < MOST_BINS
    )
    starts = range(least // width * width, last + 1, width)
    found: list[tuple[int, int | None]] = [(start, start + width - 1) for start in starts]
    if found[-1][1] is not None and most > found[-1][1]:
        found[-1] = (found[-1][0], None)
    return found


def _measured(dataset: Path) -> dict[tuple[str, str], Counter[int]]:
    """Return how often each value occurs, by table and measure, of all measures that SQL counts fast."""
    parts = [
        f"select '{table}' as t, measure, value, count(*) as n from "
        f"(select unnest([{', '.join(asked)}], recursive := true) from {table}) group by all"
        for table, by_split in splits(dataset).items()
        if (asked := _asked(schema_of(next(iter(by_split.values()))[0])))
    ]
    found: dict[tuple[str, str], Counter[int]] = {}
    for row in counts_of(dataset, f"{' union all '.join(parts)} order by all") if parts else ():
        if row["value"] is not None:
            found.setdefault((row["t"], row["measure"]), Counter())[row["value"]] = row["n"]
    return found


def _asked(schema: Schema) -> list[str]:
    """Return the measures that SQL counts fast in a table, each with its value, as records in SQL."""
    return [
        f"{{'measure': '{measure}', 'value': cast({made} as bigint)}}"
        for measure in MEASURES
        if measure != TOKENS and (made := expression(measure, schema))
    ]


def _tokens(dataset: Path) -> dict[tuple[str, str], Counter[int]]:
    """Return how many rows have prompts of so many tokens, by table: those of their columns together."""
    found: dict[tuple[str, str], Counter[int]] = {}
    for table, by_split in splits(dataset).items():
        columns = prompt_columns(table)
        for path in chain.from_iterable(by_split.values()) if columns else ():
            for rows in read_batches(path, columns=list(columns), size=AT_A_TIME):
                counts = np.sum([token_counts(rows[name]) for name in columns], axis=0)
                found.setdefault((table, TOKENS), Counter()).update(counts.tolist())
    return found


def _filled(bins: Sequence[tuple[int, int | None]], values: Counter[int]) -> list[int]:
    """Return how many values each bin holds."""
    found, first = [0] * len(bins), bins[0][0]
    width = bins[1][0] - first if len(bins) > 1 else 0
    for value, n in values.items():
        found[min((value - first) // width, len(bins) - 1) if width else 0] += n
    return found


def _spelled(least: int, most: int | None) -> str:
    if most is None:
        return f"{least}+"
    return str(least) if least == most else f"{least}{RANGE}{most}"
