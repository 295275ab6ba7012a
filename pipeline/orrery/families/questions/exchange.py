"""Rows that are kept are exchanged for others, until measures say no more of what is right than of the rest.

That each rule of thumb by itself is right no more often than by chance does not exclude that several together
are. Where a measure is on average the same of what is right and of what is wrong, and this of each measure,
a classifier that adds up measures finds nothing to learn.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from orrery.families.questions.balance import LATEST, RULE, TIMES, WHOLE, YES, AskedStates, RowCandidate

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

PASSES = 4  # over all rows
LEANING = 1.5  # times the deviation of the sum, were the rank of the right option random
UNLIKE = frozenset({LATEST, TIMES})  # measures that no others resemble: those that do count together
ALONE = 4  # the weight of these
TWICE = 2  # weight of measures on average beside rules that pick the most or the least of them


def leans_of(rules: Mapping[str, Sequence[int]]) -> tuple[tuple[str, int], ...]:
    """Return how far the right option, the first, lies above the mean of each measure.

    In twelfths of the deviation among the options: it weighs as much as a row that a rule gets right.
    """
    return tuple((rule, _scaled(values[0], values)) for rule, values in rules.items())


def _scaled(value: float, values: Sequence[float]) -> int:
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((each - mean) ** 2 for each in values) / len(values))
    return round(WHOLE * (value - mean) / (deviation or 1.0))


def exchanged(kept: Sequence[RowCandidate], candidates: Sequence[RowCandidate]) -> list[RowCandidate]:
    """Return as many rows as are kept, some replaced so that measures tell less, each at its place.

    A yes/no row is exchanged for one of equal features and answer, a choice for one that matches. A state
    that was not asked about may be asked about once. With each exchange the sum of the squares falls of what
    the measures lean by in all.
    """
    every = sorted(candidates, key=lambda each: (each.state, each.row))
    found = list(kept)
    if not found:
        return found
    exchange = _Exchange(found, every)
    for _ in range(PASSES):
        before = list(found)
        for place, old in enumerate(before):
            found[place] = exchange.better(old)
        if found == before:
            break
    return found


def level(kept: Sequence[RowCandidate]) -> list[RowCandidate]:
    """Return choices without those that make a measure lean by more than so few rows would by chance.

    Each that is dropped evens out most. Where hardly any choices match, there is nothing to exchange it for.
    """
    found = list(kept)
    while found:
        total: Counter[str] = Counter()
        for each in found:
            total.update(dict(each.leans))
        if all(abs(lean) <= LEANING * WHOLE * math.sqrt(len(found)) for lean in total.values()):
            break
        gains = [sum(lean * (2 * total[rule] - lean) for rule, lean in each.leans) for each in found]
        del found[gains.index(max(gains))]
    return found


class _Exchange:
    """The rows kept, and others that may stand in for them, with what they lean by."""

    def __init__(self, kept: Sequence[RowCandidate], every: Sequence[RowCandidate]) -> None:
        import numpy as np

        self._every, self._asked = every, AskedStates()
        self._number = {each.row: number for number, each in enumerate(every)}
        self._leans: NDArray[int64] = np.array(_vectors(every), np.int64)
        alike: dict[Hashable, list[int]] = defaultdict(list)
        for number, each in enumerate(every):
            if each.matched:
                alike[_kind(each)].append(number)
        self._alike = {kind: np.array(numbers) for kind, numbers in alike.items()}
        for each in kept:
            self._asked.keep(each)
        self._total = self._leans[[self._number[each.row] for each in kept]].sum(axis=0)

    def better(self, old: RowCandidate) -> RowCandidate:
        """Put the row that evens out most in the place of ``old``, if any does, and return what is there."""
        lean = self._leans[self._number[old.row]]
        for number in self._in_order(old, lean):
            new = self._every[number]
            if self._asked.may_replace(old, new):
                self._asked.drop(old)
                self._asked.keep(new)
                self._total = self._total + self._leans[number] - lean
                return new
        return old

    def _in_order(self, old: RowCandidate, lean: NDArray[int64]) -> Iterator[int]:
        """Yield the numbers of the rows in whose favour it speaks, those that even out most first."""
        numbers = self._alike.get(_kind(old))
        if numbers is None:
            return
        changes = self._leans[numbers] - lean
        gains = -(changes * (2 * self._total + changes)).sum(axis=1)
        for place in (-gains).argsort(kind="stable"):
            if gains[place] <= 0:
                return
            yield int(numbers[place])


def _kind(candidate: RowCandidate) -> Hashable:
    """Return what rows must share to stand in for each other."""
    return (candidate.features, candidate.answer) if candidate.answer else ""


def _vectors(every: Sequence[RowCandidate]) -> list[list[int]]:
    """Return how far each row makes each measure lean to what is right."""
    rows = list(_judged(every)) if every[0].answer else [pull_of(each.shifts, each.leans) for each in every]
    names = sorted({name for row in rows for name in row})
    return [[row.get(name, 0) for name in names] for row in rows]


def _judged(every: Sequence[RowCandidate]) -> Iterator[Mapping[str, int]]:
    """Yield how far claims measure more than all do on average; negative for those that are false."""
    values: dict[str, list[int]] = defaultdict(list)
    for each in every:
        for name, value in each.leans:
            values[name].append(value)
    scaled = {name: {value: _scaled(value, some) for value in set(some)} for name, some in values.items()}
    for each in every:
        sign = 1 if each.answer == YES else -1
        yield {name: sign * scaled[name][value] for name, value in each.leans}


def pull_of(shifts: Iterable[tuple[str, int]], leans: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return how far the right option of a choice is above the others in each measure, and how rules do."""
    rules = {name: shift for name, shift in shifts if name.startswith(RULE)}
    return rules | {name: (ALONE if name in UNLIKE else TWICE) * lean for name, lean in leans}
