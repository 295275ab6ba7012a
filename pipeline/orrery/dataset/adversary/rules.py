"""Simple tricks: one reply for all rows, written replies, places of options, extremes of measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from orrery.dataset.adversary.scores import Scores, TrickScores, by_number
from orrery.dataset.adversary.targets import FOLDS, FoldedTarget
from orrery.families.attack import PICK, ScoredGuess
from orrery.families.questions.question_row import NONE

FEW = 6  # options at most that are named by their number
FORMS = ("length", "same object twice in one")  # measures of a reply that need no reading of the row


def constants(rows: Sequence[FoldedTarget]) -> list[TrickScores]:
    """Return the scores of one reply for all rows or a domain, and of None.

    The reply is the most frequent right one of the other folds. None is a trick if it is right in some row.
    """
    tricks = [
        TrickScores("one reply", _repeat_best(rows, _replies), writes=True),
        TrickScores("one reply a domain", _repeat_best(rows, _replies, by_domain=True), writes=True),
    ]
    if any(NONE in row.target.replies for row in rows):
        tricks.append(TrickScores("None", [float(NONE in row.target.replies) for row in rows], writes=True))
    return tricks


def written(rows: Sequence[FoldedTarget]) -> Iterator[TrickScores]:
    """Yield the scores of the rules that write whole replies, and of one value for each part of a reply."""
    for name in sorted({name for row in rows for name in row.target.written}):
        yield _guessed(name, [row.target.written.get(name) for row in rows])
    yield from _parts(rows)


def extremes(rows: Sequence[FoldedTarget]) -> list[TrickScores]:
    """Return the scores of the options with the most and the least of every measure, and of each place."""
    tricks = []
    for name in sorted({name for row in rows for option in row.target.options for name in option.measures}):
        numbers = [[float(option.measures.get(name, 0)) for option in row.target.options] for row in rows]
        negated = [[-n for n in values] for values in numbers]
        compares = name not in FORMS
        tricks.append(TrickScores(f"most {name}", by_number(rows, numbers), compares=compares))
        tricks.append(TrickScores(f"least {name}", by_number(rows, negated), compares=compares))
    return tricks + _places(rows)


def _replies(row: FoldedTarget) -> frozenset[str]:
    return row.target.replies


def _repeat_best(
    rows: Sequence[FoldedTarget],
    values_of: Callable[[FoldedTarget], frozenset[str]],
    *,
    by_domain: bool = False,
) -> Scores:
    """Return the scores of the value that is right most often in the other folds (of the domain)."""
    counts: dict[tuple[str, int], Counter[str]] = {}
    for row in rows:
        for fold in range(FOLDS):
            if fold != row.fold:
                key = (row.target.domain if by_domain else "", fold)
                counts.setdefault(key, Counter()).update(values_of(row))
    best = {key: _most_frequent(counter) for key, counter in counts.items() if counter}
    return [
        float(best.get((row.target.domain if by_domain else "", row.fold)) in values_of(row)) for row in rows
    ]


def _most_frequent(counts: Counter[str]) -> str:
    return min(counts, key=lambda value: (-counts[value], value))


def _parts(rows: Sequence[FoldedTarget]) -> Iterator[TrickScores]:
    """Yield the scores of one value for each part of a reply, on the rows that have it."""
    for name in sorted({name for row in rows for name in row.target.parts}):

        def value(row: FoldedTarget, name: str = name) -> frozenset[str]:
            part = row.target.parts.get(name)
            return frozenset([part.value]) if part else frozenset()

        scores = _repeat_best(rows, value)
        yield _guessed(
            f"one reply to {name}",
            [
                ScoredGuess(score or 0.0, row.target.parts[name].chance) if name in row.target.parts else None
                for row, score in zip(rows, scores, strict=True)
            ],
        )


def _guessed(rule: str, guesses: Sequence[ScoredGuess | None]) -> TrickScores:
    scores: Scores = [guess.score if guess else None for guess in guesses]
    return TrickScores(rule, scores, chances=[guess.chance if guess else 0.0 for guess in guesses])


def _places(rows: Sequence[FoldedTarget]) -> list[TrickScores]:
    """Return the scores of the options at each place in the list."""
    counts = [len(row.target.options) if row.target.form == PICK else 0 for row in rows]
    if not any(counts):
        return []
    tricks = [
        TrickScores("first candidate", _at(rows, [0 if n else None for n in counts])),
        TrickScores("last candidate", _at(rows, [n - 1 if n else None for n in counts])),
        TrickScores("middle candidate", _at(rows, [n // 2 if n else None for n in counts])),
    ]
    if max(counts) <= FEW:
        tricks += [
            TrickScores(f"candidate {place + 1}", _at(rows, [place if place < n else None for n in counts]))
            for place in range(1, max(counts) - 1)
        ]
    return tricks


def _at(rows: Sequence[FoldedTarget], places: Sequence[int | None]) -> Scores:
    """Return the scores of the options at ``places``; None without a place."""
    return [
        None if place is None else float(row.target.options[place].right)
        for row, place in zip(rows, places, strict=True)
    ]
