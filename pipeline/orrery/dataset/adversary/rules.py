"""Tricks by rules: constant and written replies, positions, extremes, and learned rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

from orrery.dataset.adversary.targets import (
    Scores,
    Targets,
    TrickScores,
    medians,
    score_choices,
)
from orrery.families.attack import JUDGE, PICK, WRITE, ReplyOption, ScoredGuess, Target
from orrery.families.questions.question_row import NONE

FEW = 6  # maximum number of options for tricks by position
FORMS = ("length", "same object twice in one")  # measures of the reply alone, without reading the row


def constants(rows: Targets) -> list[TrickScores]:
    """Return the scores of one reply for all rows, of one per domain, and of None.

    The reply is the most frequent right one of the other folds. None is a trick if it is right in some row.
    """
    replies = attrgetter("replies")
    tricks = [
        TrickScores("one reply", _repeat_best(rows, replies), writes=True),
        TrickScores("one reply a domain", _repeat_best(rows, replies, by_domain=True), writes=True),
    ]
    if any(NONE in row.replies for row in rows):
        tricks.append(TrickScores("None", [float(NONE in row.replies) for row in rows], writes=True))
    return tricks


def written(rows: Targets) -> Iterator[TrickScores]:
    """Yield the scores of written replies, and of one constant value for each part of a reply."""
    for name in sorted({name for row in rows for name in row.written}):
        yield _guessed(name, [row.written.get(name) for row in rows])
    yield from _parts(rows)


def extremes(rows: Targets) -> list[TrickScores]:
    """Return the scores of the options with the extremes of every measure, and at each position."""
    tricks = []
    for name in sorted({name for row in rows for option in row.options for name in option.measures}):
        numbers = [[float(option.measures.get(name, 0)) for option in row.options] for row in rows]
        negated = [[-n for n in values] for values in numbers]
        for extreme, values in (("most", numbers), ("least", negated)):
            scores = score_choices(rows, values, medians(rows, values))
            tricks.append(TrickScores(f"{extreme} {name}", scores, compares=name not in FORMS))
    return tricks + _places(rows)


def _repeat_best(
    rows: Targets,
    values_of: Callable[[Target], frozenset[str]],
    *,
    by_domain: bool = False,
) -> Scores:
    """Return the scores of the value that is right most often in the other folds (of the domain)."""
    counts, own_counts = defaultdict[str, Counter[str]](Counter), defaultdict[Any, Counter[str]](Counter)
    keys = [(row.domain if by_domain else "", row.fold) for row in rows]
    for key, row in zip(keys, rows, strict=True):
        counts[key[0]].update(values_of(row))
        own_counts[key].update(values_of(row))
    best = {
        key: min(elsewhere, key=lambda value: (-elsewhere[value], value))
        for key, own in own_counts.items()
        if (elsewhere := counts[key[0]] - own)
    }
    return [float(best.get(key) in values_of(row)) for key, row in zip(keys, rows, strict=True)]


def _parts(rows: Targets) -> Iterator[TrickScores]:
    """Yield the scores of one constant value for each part of a reply, on the rows with this part."""
    for name in sorted({name for row in rows for name in row.parts}):

        def value(row: Target, name: str = name) -> frozenset[str]:
            part = row.parts.get(name)
            return frozenset([part.value]) if part else frozenset()

        scores = _repeat_best(rows, value)
        yield _guessed(
            f"one reply to {name}",
            [
                ScoredGuess(score or 0.0, row.parts[name].chance) if name in row.parts else None
                for row, score in zip(rows, scores, strict=True)
            ],
        )


def _guessed(rule: str, guesses: Sequence[ScoredGuess | None]) -> TrickScores:
    scores: Scores = [guess.score if guess else None for guess in guesses]
    return TrickScores(rule, scores, chances=[guess.chance if guess else 0.0 for guess in guesses])


def _places(rows: Targets) -> list[TrickScores]:
    """Return the scores of the options at each position in the list."""
    counts = [len(row.options) if row.form == PICK else 0 for row in rows]
    if not any(counts):
        return []
    places = {
        "first candidate": [0 for _ in counts],
        "last candidate": [n - 1 for n in counts],
        "middle candidate": [n // 2 for n in counts],
    }
    if max(counts) <= FEW:
        places |= {f"candidate {place + 1}": [place] * len(rows) for place in range(1, max(counts) - 1)}
    return [TrickScores(name, _scores_at_places(rows, counts, listed)) for name, listed in places.items()]


def _scores_at_places(rows: Targets, counts: Sequence[int], places: Sequence[int]) -> Scores:
    """Return the scores of the options at ``places``; None where there is none."""
    return [
        float(row.options[place].right) if 0 <= place < n else None
        for row, n, place in zip(rows, counts, places, strict=True)
    ]


MOST_MARKS = 100  # most frequent marks of a domain

NamedScores: TypeAlias = tuple[str, Scores]
TricksOnRows: TypeAlias = Callable[[Sequence[int]], list[NamedScores]]


def learned(rows: Targets, simple: Sequence[TrickScores]) -> list[TrickScores]:
    """Return the scores of the learned tricks. One of them selects the best of the ``simple`` tricks."""
    if all(row.form == WRITE for row in rows):
        return []

    def simple_tricks(places: Sequence[int]) -> list[NamedScores]:
        return [(trick.rule, [trick.scores[place] for place in places]) for trick in simple]

    def marked(name: str) -> TricksOnRows:
        return lambda places: _with_and_without_marks([rows[place] for place in places], attrgetter(name))

    tricks = [
        TrickScores("names that are right elsewhere", _by_frequent_names(rows), compares=True),
        TrickScores("best rule of the domain", _best_elsewhere(rows, simple_tricks), compares=True),
        TrickScores("best name of the domain", _best_elsewhere(rows, marked("marks")), compares=True),
    ]
    if any(option.conditions for row in rows for option in row.options):
        scores = _best_elsewhere(rows, marked("conditions"))
        tricks.append(TrickScores("best single condition of the domain", scores, partial=True, compares=True))
    return tricks


def _by_frequent_names(rows: Targets) -> Scores:
    """Return the scores of the option whose first mark is right most often in other folds."""
    total, right = Counter[Any](), Counter[Any]()
    for row in rows:
        for option in row.options:
            for mark in option.marks[:1]:
                for key in ((row.domain, mark), (row.domain, mark, row.fold)):
                    total[key] += 1
                    right[key] += option.right

    def rate(row: Target, option: ReplyOption) -> float:
        key = (row.domain, *option.marks[:1])
        if elsewhere := total[key] - total[*key, row.fold]:
            return (right[key] - right[*key, row.fold]) / elsewhere
        return 0.5 if row.form == JUDGE else 1 / len(row.options)

    return score_choices(rows, [[rate(row, option) for option in row.options] for row in rows])


def _with_and_without_marks(
    rows: Targets, marks_of: Callable[[ReplyOption], Sequence[str]]
) -> list[NamedScores]:
    """Return the scores of options with and without each of the frequent marks of a domain."""
    marks = [[frozenset(marks_of(option)) for option in row.options] for row in rows]
    counts = Counter(mark for row in rows for option in row.options for mark in marks_of(option))
    return [
        (
            f"{word} {mark}",
            score_choices(rows, [[float((mark in own) == wanted) for own in listed] for listed in marks]),
        )
        for mark in sorted(counts, key=lambda mark: (-counts[mark], mark))[:MOST_MARKS]
        for word, wanted in (("with", True), ("without", False))
    ]


def _best_elsewhere(rows: Targets, tricks_on: TricksOnRows) -> Scores:
    """Return, in every domain and fold, the scores of the trick that is best on the other folds."""
    domains: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        domains[row.domain].append(place)
    chosen: Scores = [None] * len(rows)
    for places in domains.values():
        tricks = tricks_on(places)
        for fold in sorted({rows[place].fold for place in places}):
            training = [number for number, place in enumerate(places) if rows[place].fold != fold]
            if training and tricks:
                _, scores = max(tricks, key=lambda trick: (_mean(trick[1], training), trick[0]))
                for number, place in enumerate(places):
                    if rows[place].fold == fold:
                        chosen[place] = scores[number]
    return chosen


def _mean(scores: Scores, places: Sequence[int]) -> float:
    values = [score for place in places if (score := scores[place]) is not None]
    return sum(values) / len(values) if values else 0.0
