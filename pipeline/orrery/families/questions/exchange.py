"""Exchange kept rows for others until measures reveal as little as possible of the answers.

Even if each heuristic rule alone is correct no more often than by chance, several rules together may be. If
each measure has the same mean for correct and incorrect claims, a classifier that adds measures finds nothing
to learn.
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

PASSES = 4  # maximum number of passes over all rows
LEANING = 1.5  # in multiples of the deviation of the sum for a random rank of the correct option
UNLIKE = frozenset({LATEST, TIMES})  # measures that no other one resembles
ALONE = 4  # the weight of these
TWICE = 2  # weight of mean measures compared with rules that pick the largest or smallest one


def leans_of(rules: Mapping[str, Sequence[float]]) -> tuple[tuple[str, int], ...]:
    """Return the difference between the correct option, the first, and the mean of each measure.

    It is in twelfths of the deviation among the options: it has the weight of a row that a rule gets right.
    """
    return tuple((rule, _scaled(values[:1], values)[0]) for rule, values in rules.items())


def _scaled(numbers: Iterable[float], values: Sequence[float]) -> list[int]:
    """Return the difference between each value and the mean, in twelfths of the deviation."""
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return [round(WHOLE * (value - mean) / (deviation or 1.0)) for value in numbers]


def exchanged(chosen: Sequence[RowCandidate], candidates: Sequence[RowCandidate]) -> list[RowCandidate]:
    """Return as many rows as are kept, some replaced at their positions so that measures reveal less.

    A yes/no row is exchanged for one of equal features and answer, a choice for a matched one. A new state
    may get one question. Each exchange decreases the sum of squares of the total bias of the measures.
    """
    ordered = sorted(candidates, key=lambda candidate: (candidate.state, candidate.row))
    rows = list(chosen)
    if not rows:
        return rows
    exchange = _RowExchange(rows, ordered)
    for _ in range(PASSES):
        before = list(rows)
        for place, old in enumerate(before):
            rows[place] = exchange.better(old)
        if rows == before:
            break
    return rows


def level(chosen: Sequence[RowCandidate]) -> list[RowCandidate]:
    """Return choices without those that bias a measure more than chance would in this number of rows.

    Each dropped choice reduces the bias most. If almost no choices match, there is no replacement.
    """
    rows = list(chosen)
    while rows:
        total: Counter[str] = Counter()
        for row in rows:
            total.update(dict(row.leans))
        if all(abs(lean) <= LEANING * WHOLE * math.sqrt(len(rows)) for lean in total.values()):
            break
        gains = [sum(lean * (2 * total[rule] - lean) for rule, lean in row.leans) for row in rows]
        del rows[gains.index(max(gains))]
    return rows


class _RowExchange:
    """The kept rows and their possible replacements, with the bias of their measures.

    The total bias after replacing a row is smallest if the vector of the new row is nearest to the negative
    bias of the other rows. Every candidate of the same kind is compared. The work grows with rows times
    candidates; 20,000 candidates take some milliseconds per row.
    """

    def __init__(self, chosen: Sequence[RowCandidate], candidates: Sequence[RowCandidate]) -> None:
        import numpy as np

        self._candidates = candidates
        self._number = {candidate.row: number for number, candidate in enumerate(candidates)}
        self._leans: NDArray[int64] = np.array(_vectors(candidates), np.int64)
        self._states: NDArray[int64] = np.array([candidate.state for candidate in candidates], np.int64)
        numbers: dict[Hashable, list[int]] = defaultdict(list)
        for number, candidate in enumerate(candidates):
            if candidate.matched:
                numbers[_kind(candidate)].append(number)
        self._alike = {kind: np.array(alike, np.int64) for kind, alike in numbers.items()}
        self._asked = AskedStates()
        self._rows_of_state: NDArray[int64] = np.zeros(int(self._states.max()) + 1, np.int64)
        for candidate in chosen:
            self._asked.keep(candidate)
            self._rows_of_state[candidate.state] += 1
        self._total = self._leans[np.array([self._number[row.row] for row in chosen], np.int64)].sum(axis=0)

    def better(self, old: RowCandidate) -> RowCandidate:
        """Replace ``old`` by the row that reduces the bias most, if any, and return the row in its place."""
        alike, least = self._alike.get(_kind(old)), int((self._total * self._total).sum())
        if alike is None:
            return old
        remainder = self._total - self._leans[self._number[old.row]]
        states = self._states[alike]
        is_open = self._rows_of_state[states] == 0
        for place in (states == old.state).nonzero()[0]:
            is_open[place] = self._asked.may_replace(old, self._candidates[alike[place]])
        numbers = alike[is_open]
        totals = self._leans[numbers] + remainder
        squares = (totals * totals).sum(axis=1)
        if not len(numbers) or squares.min() >= least:
            return old
        first = int(squares.argmin())
        new = self._candidates[int(numbers[first])]
        self._asked.drop(old)
        self._asked.keep(new)
        self._rows_of_state[old.state] -= 1
        self._rows_of_state[new.state] += 1
        self._total = totals[first]
        return new


def _kind(candidate: RowCandidate) -> Hashable:
    """Return a key; only rows with equal keys can replace each other."""
    return (candidate.features, candidate.answer) if candidate.answer else ""


def _vectors(candidates: Sequence[RowCandidate]) -> list[list[int]]:
    """Return how far each row biases each measure towards the correct answer."""
    rows = (
        list(_judged(candidates))
        if candidates[0].answer
        else [pull_of(candidate.shifts, candidate.leans) for candidate in candidates]
    )
    names = sorted({name for row in rows for name in row})
    return [[row.get(name, 0) for name in names] for row in rows]


def _judged(candidates: Sequence[RowCandidate]) -> Iterator[Mapping[str, int]]:
    """Yield the difference between the measures of claims and their mean; negated for false claims."""
    values: dict[str, list[int]] = defaultdict(list)
    for candidate in candidates:
        for name, value in candidate.leans:
            values[name].append(value)
    scaled = {
        name: dict(zip(numbers, _scaled(numbers, numbers), strict=True)) for name, numbers in values.items()
    }
    for candidate in candidates:
        sign = 1 if candidate.answer == YES else -1
        yield {name: sign * scaled[name][value] for name, value in candidate.leans}


def pull_of(shifts: Iterable[tuple[str, int]], leans: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the difference between the correct option of a choice and the others, by measure and by rule."""
    rules = {name: shift for name, shift in shifts if name.startswith(RULE)}
    return rules | {name: (ALONE if name in UNLIKE else TWICE) * lean for name, lean in leans}
