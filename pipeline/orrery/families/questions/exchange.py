"""Exchange kept rows for others until measures reveal as little as possible of the answers.

Even if each heuristic rule alone is correct no more often than by chance, several rules together may be. If
each measure has the same mean for correct and incorrect claims, a classifier that adds measures finds nothing
to learn.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from orrery.families.questions.balance import LATEST, NO, RULE, TIMES, WHOLE, YES, AskedStates, RowCandidate

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

LEANING = 1.5  # in multiples of the deviation of the sum for a random rank of the correct option
PASSES = 4  # maximum number of passes over all rows
UNLIKE = frozenset({LATEST, TIMES})  # measures that no other one resembles
ALONE = 4  # the weight of these
NEAR = 4  # number of false claims with which a true one is paired
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


def gathered(candidates: Sequence[RowCandidate], most: int) -> list[RowCandidate]:
    """Return at most ``most`` rows, each of another state, that bias measures little.

    ``most`` is even for yes/no rows. Each row brings the total bias nearest to zero: herding (Welling, 2009).
    A choice must be matched; a yes/no row comes with one of equal features and the other answer. So claims of
    some features can compensate for those of others, which an exchange of claims of equal features cannot do.
    """
    if not candidates:
        return []
    exchange = _RowExchange([], candidates)
    kinds = exchange.kinds
    while len(exchange.asked.kept) < most and (first := exchange.keep_nearest(kinds)):
        if first.answer and not exchange.keep_nearest([_kind_of_mate(first)]):
            exchange.drop(first)
            kinds.remove(_kind(first))
    return list(exchange.asked.kept.values())


def paired(candidates: Sequence[RowCandidate], most: int) -> list[RowCandidate]:
    """Return at most ``most`` claims in pairs, a true and a false one of equal features, by herding as above.

    Each of them is on another state. A true claim is paired with the few false ones of other states whose
    measures are nearest.
    """
    import numpy as np

    if not candidates:
        return []
    vectors: NDArray[int64] = np.array(_vectors(candidates), np.int64)
    states = np.array([candidate.state for candidate in candidates])
    sides: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for number, candidate in enumerate(candidates):
        sides[candidate.features][candidate.answer != YES].append(number)
    pairs = np.array(
        [
            (true, apart[near])
            for true_claims, false in sides.values()
            for true in true_claims
            if (apart := [number for number in false if states[number] != states[true]])
            for near in ((vectors[apart] + vectors[true]) ** 2).sum(axis=1).argsort(kind="stable")[:NEAR]
        ],
        np.int64,
    )

    def is_open(kept: Sequence[int]) -> Sequence[bool]:
        first, second = np.isin(states[pairs], states[pairs[np.array(kept, np.int64)]]).T
        return list(~(first | second))

    kept = herded(vectors[pairs].sum(axis=1), most // 2, is_open) if len(pairs) else []
    return [candidates[number] for place in kept for number in pairs[place]]


def herded(
    vectors: NDArray[Any], most: int, is_open: Callable[[Sequence[int]], Sequence[bool]], passes: int = PASSES
) -> list[int]:
    """Return ``most`` places of vectors whose sum is near zero; fewer if no other may follow.

    Each next vector brings the sum nearest to zero: herding (Welling, 2009). In each of ``passes``, all
    places are chosen again, the first ones first. ``is_open`` returns which places may follow those that are
    kept.
    """
    import numpy as np

    kept, total, norms = deque[int](), np.zeros(vectors.shape[1]), (vectors**2).sum(axis=1)
    for _ in range((1 + passes) * most):
        if len(kept) == most:
            total = total - vectors[kept.popleft()]
        may_follow = is_open(kept)
        if not any(may_follow):
            break
        kept.append(int(np.where(may_follow, (norms + 2 * vectors @ total).round(6), np.inf).argmin()))
        total = total + vectors[kept[-1]]
    return list(kept)


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
        self.asked = AskedStates()
        self._rows_of_state: NDArray[int64] = np.zeros(int(self._states.max()) + 1, np.int64)
        for candidate in chosen:
            self.asked.keep(candidate)
            self._rows_of_state[candidate.state] += 1
        self._total = self._leans[np.array([self._number[row.row] for row in chosen], np.int64)].sum(axis=0)

    @property
    def kinds(self) -> list[Hashable]:
        """The kinds of rows that can be kept."""
        return list(self._alike)

    def keep_nearest(self, kinds: Iterable[Hashable]) -> RowCandidate | None:
        """Keep the row of these kinds, on a new state, that leaves the least bias; None if there is none."""
        numbers = [
            number
            for kind in kinds
            for number in self._alike.get(kind, ())
            if self.asked.has_room(self._candidates[number], 1)
        ]
        if not numbers:
            return None
        totals = self._leans[numbers] + self._total
        first = int((totals * totals).sum(axis=1).argmin())
        row: RowCandidate = self._candidates[numbers[first]]
        self.asked.keep(row)
        self._total = totals[first]
        return row

    def drop(self, row: RowCandidate) -> None:
        """Drop a row that was kept."""
        self.asked.drop(row)
        self._total = self._total - self._leans[self._number[row.row]]

    def better(self, old: RowCandidate) -> RowCandidate:
        """Replace ``old`` by the row that reduces the bias most, if any, and return the row in its place."""
        alike, least = self._alike.get(_kind(old)), int((self._total * self._total).sum())
        if alike is None:
            return old
        remainder = self._total - self._leans[self._number[old.row]]
        states = self._states[alike]
        is_open = self._rows_of_state[states] == 0
        for place in (states == old.state).nonzero()[0]:
            is_open[place] = self.asked.may_replace(old, self._candidates[alike[place]])
        numbers = alike[is_open]
        totals = self._leans[numbers] + remainder
        squares = (totals * totals).sum(axis=1)
        if not len(numbers) or squares.min() >= least:
            return old
        first = int(squares.argmin())
        new = self._candidates[int(numbers[first])]
        self.asked.drop(old)
        self.asked.keep(new)
        self._rows_of_state[old.state] -= 1
        self._rows_of_state[new.state] += 1
        self._total = totals[first]
        return new


def _kind(candidate: RowCandidate) -> Hashable:
    """Return a key; only rows with equal keys can replace each other."""
    return (candidate.features, candidate.answer) if candidate.answer else ""


def _kind_of_mate(candidate: RowCandidate) -> Hashable:
    """Return the kind of yes/no rows of equal features with the other answer."""
    return candidate.features, NO if candidate.answer == YES else YES


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
