"""Aggregate scores: shares, means and ratios with 95 % intervals, overall and by group.

One tally is used for every kind of prediction. Its scorer declares in ``Measures`` what is aggregated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

ScoreRow: TypeAlias = Mapping[str, Any]

ALL = "all"
Z = 1.959963984540054  # 95 % of the normal distribution is within this many standard deviations


class RatioOf(NamedTuple):
    """A sum of columns divided by another; ``bounded`` if the ratio is between 0 and 1."""

    amounts: tuple[str, ...]
    wholes: tuple[str, ...]
    bounded: bool = True


@dataclass(frozen=True)
class Measures:
    """The columns of scores to aggregate.

    Args:
        shares: functions that return True, False, or None (undecided) for a row.
        means: columns whose mean is taken over the rows with a value.
        ratios: sums of columns divided by others.
        groups: functions that return the group value of a row, in printing order; None means no group.
        listed: functions that return texts to count, for example classes of errors.
        best: the share that is also counted by id, as right if some output for the id is right.
        shown: figures printed for every group; the others are printed only for all rows together.
        printed: the entries of ``listed`` that are printed.
        alike: functions that return the set of a row, empty if it has none; the number of sets of two rows or
            more with the same answer to ``best`` is counted.
        note: a remark printed with the figures.
    """

    shares: Mapping[str, Callable[[ScoreRow], bool | None]]
    groups: Mapping[str, Callable[[ScoreRow], Any]]
    listed: Mapping[str, Callable[[ScoreRow], Iterable[str]]]
    best: str
    shown: tuple[str, ...]
    printed: tuple[str, ...]
    means: tuple[str, ...] = ()
    ratios: Mapping[str, RatioOf] = field(default_factory=dict)
    alike: Mapping[str, Callable[[ScoreRow], str]] = field(default_factory=dict)
    note: str = ""


def columns(*names: str) -> dict[str, Callable[[ScoreRow], Any]]:
    """Return the functions that read columns, by name."""
    return {name: itemgetter(name) for name in names}


def if_any(name: str) -> Callable[[ScoreRow], list[str]]:
    """Return a function that returns the text of a column as a list, empty if the text is empty."""
    return lambda row: [row[name]] if row[name] else []


def wilson(yes: float, total: float) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, 1927), from 0 to 1; the whole range without trials."""
    if not total:
        return 0.0, 1.0
    share, square = yes / total, Z * Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    spread = Z / (1 + square / total) * sqrt(share * (1 - share) / total + square / (4 * total * total))
    # Rounding must not exclude the share itself.
    return max(0.0, min(share, middle - spread)), min(1.0, max(share, middle + spread))


def share(answers: Mapping[bool | None, int]) -> dict[str, Any]:
    """Return counts of yes, no and undecided, the share of yes among the decided, and its interval."""
    yes, no, undecided = (answers.get(answer, 0) for answer in (True, False, None))
    low, high = wilson(yes, yes + no)
    return {
        "yes": yes,
        "no": no,
        "undecided": undecided,
        "share": round(yes / (yes + no), 6) if yes + no else None,
        "low": round(low, 6),
        "high": round(high, 6),
    }


@dataclass
class Ratio:
    """The sums over pairs (amount, whole) that their ratio and its interval need."""

    count: int = 0
    amount: float = 0.0
    whole: float = 0.0
    squares: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])

    def add(self, amount: float, whole: float) -> None:
        """Add the pair of one row."""
        self.count += 1
        self.amount += amount
        self.whole += whole
        for number, product in enumerate((amount * amount, amount * whole, whole * whole)):
            self.squares[number] += product

    @property
    def variance(self) -> float:
        """The variance of the ratio with rows as sampling units (linearised; Cochran, 1977, chapter 6)."""
        if self.count < 2:
            return 0.0
        amounts, mixed, wholes = self.squares
        ratio = self.amount / self.whole
        squares = max(0.0, amounts - 2 * ratio * mixed + ratio * ratio * wholes)
        return squares * self.count / (self.count - 1) / self.whole**2

    def as_dict(self, *, bounded: bool) -> dict[str, Any]:
        """Return the ratio and its interval; for a ``bounded`` ratio by Wilson's formula."""
        if not self.whole:
            return {"value": None, "low": None, "high": None, "of": 0}
        value = min(1.0, self.amount / self.whole) if bounded else self.amount / self.whole
        low, high = self._within_one(value) if bounded else self._unbounded(value)
        figures = {"value": value, "low": low, "high": high}
        return {name: round(figure, 6) for name, figure in figures.items()} | {"of": round(self.whole)}

    def _within_one(self, value: float) -> tuple[float, float]:
        """Return Wilson's interval for the number of right-or-wrong rows with the same variance."""
        rows = value * (1 - value) / self.variance if self.variance > 0 else float(self.count)
        return wilson(value * rows, rows)

    def _unbounded(self, value: float) -> tuple[float, float]:
        spread = Z * sqrt(self.variance)
        return max(0.0, value - spread), value + spread


@dataclass
class _Together:
    """The rows of one set: their number, and their answers."""

    rows: int = 0
    answers: set[bool | None] = field(default_factory=set)

    @property
    def alike(self) -> bool | None:
        """Whether all answers are equal; None if some are undecided and the others do not differ."""
        decided = self.answers - {None}
        return False if len(decided) > 1 else None if None in self.answers else True


@dataclass
class _GroupTally:
    """The rows of one group: the frequency of each combination of answers, and sums."""

    answers: Counter[tuple[bool | None, ...]] = field(default_factory=Counter)
    means: dict[str, Ratio] = field(default_factory=dict)
    ratios: dict[str, Ratio] = field(default_factory=dict)


class Tally:
    """Running counts of the scores of one file; rows of one id must be adjacent."""

    def __init__(self, measures: Measures) -> None:
        """Start with nothing counted."""
        self.measures = measures
        self.outputs = self.ids = 0
        self._groups: dict[tuple[str, str], _GroupTally] = {}
        self._listed: dict[str, Counter[str]] = {name: Counter() for name in measures.listed}
        self._alike: dict[str, dict[str, _Together]] = {name: {} for name in measures.alike}
        self._some: Counter[bool | None] = Counter()
        self._best = list(measures.shares).index(measures.best)
        self._last: tuple[str, bool | None] = ("", None)

    def add(self, row: ScoreRow) -> None:
        """Count one row."""
        wanted = self.measures
        self.outputs += 1
        answers = tuple([answer(row) for answer in wanted.shares.values()])
        means = [(name, float(row[name]), 1.0) for name in wanted.means if row[name] is not None]
        ratios = [(name, _sum(row, r.amounts), _sum(row, r.wholes)) for name, r in wanted.ratios.items()]
        values = ((name, value(row)) for name, value in wanted.groups.items())
        for group in ((ALL, ALL), *((name, str(value)) for name, value in values if value is not None)):
            if (tally := self._groups.get(group)) is None:
                tally = self._groups[group] = _GroupTally()
            tally.answers[answers] += 1
            for sums, pairs in ((tally.means, means), (tally.ratios, ratios)):
                for name, amount, whole in pairs:
                    sums.setdefault(name, Ratio()).add(amount, whole)
        for name, texts in wanted.listed.items():
            self._listed[name].update(texts(row))
        for name, together in wanted.alike.items():
            if shared := together(row):
                alike_rows = self._alike[name].setdefault(shared, _Together())
                alike_rows.rows += 1
                alike_rows.answers.add(answers[self._best])
        self._by_id(row["id"], answers[self._best])

    def _by_id(self, name: str, right: bool | None) -> None:
        """Count an id once, as right if some output for it is right (None: undecided)."""
        if self.ids and self._last[0] == name:
            before = self._last[1]
            self._some[before] -= 1
            right = True if right or before else None if None in (right, before) else False
        else:
            self.ids += 1
        self._some[right] += 1
        self._last = (name, right)

    def as_dict(self, rows: int) -> dict[str, Any]:
        """Return the summary for a dataset of ``rows`` rows.

        It is sorted, so that equal scores give equal bytes.
        """
        by: dict[str, dict[str, Any]] = {name: {} for name in self.measures.groups if self._groups}
        for (name, value), tally in sorted(self._groups.items()):
            if name != ALL:
                by[name][value] = self._figures(tally)
        return {
            "outputs": self.outputs,
            "rows": rows,
            "rows_with_output": self.ids,
            "rows_without_output": rows - self.ids,
            "overall": self._figures(self._groups.get((ALL, ALL), _GroupTally())) | self._together(),
            f"some_output_{self.measures.best}": share(self._some),
            "by": by,
            **{name: dict(sorted(counts.items())) for name, counts in self._listed.items()},
        }

    def _together(self) -> dict[str, Any]:
        """Return, under ``alike``, the numbers of sets of rows with one answer."""
        figures = {
            name: share(Counter(alike_rows.alike for alike_rows in sets.values() if alike_rows.rows > 1))
            for name, sets in self._alike.items()
        }
        return {"alike": figures} if figures else {}

    def _figures(self, tally: _GroupTally) -> dict[str, Any]:
        """Return all figures of one group: ``outputs``, and by name ``shares``, ``means`` and ``ratios``."""
        wanted = self.measures
        figures: dict[str, Any] = {"outputs": tally.answers.total(), "shares": {}}
        for place, name in enumerate(wanted.shares):
            counts: Counter[bool | None] = Counter()
            for answers, count in tally.answers.items():
                counts[answers[place]] += count
            figures["shares"][name] = share(counts)
        if wanted.means:
            figures["means"] = {n: tally.means.get(n, Ratio()).as_dict(bounded=True) for n in wanted.means}
        if wanted.ratios:
            ratios = {name: tally.ratios.get(name, Ratio()) for name in wanted.ratios}
            figures["ratios"] = {n: r.as_dict(bounded=wanted.ratios[n].bounded) for n, r in ratios.items()}
        return figures


def _sum(row: ScoreRow, names: Iterable[str]) -> float:
    return float(sum(row[name] for name in names))
