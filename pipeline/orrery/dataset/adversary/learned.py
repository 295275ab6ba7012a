"""Tricks that are learned by domain from other problems: which names are right, and which trick is best."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TypeAlias

from orrery.dataset.adversary.scores import Scores, TrickScores, score_choice
from orrery.dataset.adversary.targets import FOLDS, FoldedTarget
from orrery.families.attack import JUDGE, WRITE, ReplyOption

MOST_MARKS = 100  # of a domain, the most frequent

NamedScores: TypeAlias = tuple[str, Scores]
TricksOnRows: TypeAlias = Callable[[Sequence[int]], list[NamedScores]]


def learned(rows: Sequence[FoldedTarget], simple: Sequence[TrickScores]) -> list[TrickScores]:
    """Return the scores of the learned tricks; ``simple`` are the tricks of which the best is chosen."""
    if all(row.target.form == WRITE for row in rows):
        return []

    def simple_tricks(places: Sequence[int]) -> list[NamedScores]:
        return [(trick.rule, [trick.scores[place] for place in places]) for trick in simple]

    def by_name(places: Sequence[int]) -> list[NamedScores]:
        return _with_and_without_marks([rows[place] for place in places], attrgetter("marks"))

    def by_condition(places: Sequence[int]) -> list[NamedScores]:
        return _with_and_without_marks([rows[place] for place in places], attrgetter("conditions"))

    tricks = [
        TrickScores("names that are right elsewhere", _by_frequent_names(rows), compares=True),
        TrickScores("best rule of the domain", _best_elsewhere(rows, simple_tricks), compares=True),
        TrickScores("best name of the domain", _best_elsewhere(rows, by_name), compares=True),
    ]
    if any(option.conditions for row in rows for option in row.target.options):
        scores = _best_elsewhere(rows, by_condition)
        tricks.append(TrickScores("best single condition of the domain", scores, partial=True, compares=True))
    return tricks


def _by_frequent_names(rows: Sequence[FoldedTarget]) -> Scores:
    """Return the scores of the option whose first mark is right most often in other folds."""
    total: Counter[tuple[str, str, int]] = Counter()
    right: Counter[tuple[str, str, int]] = Counter()
    for row in rows:
        for option in row.target.options:
            for fold in range(FOLDS):
                if option.marks and fold != row.fold:
                    total[row.target.domain, option.marks[0], fold] += 1
                    right[row.target.domain, option.marks[0], fold] += option.right
    scores: Scores = []
    for row in rows:
        target = row.target
        even = 0.5 if target.form == JUDGE else 1 / max(1, len(target.options))
        keys = [(target.domain, (option.marks or ("",))[0], row.fold) for option in target.options]
        rates = [right[key] / total[key] if total[key] else even for key in keys]
        scores.append(score_choice(row, rates) if rates else None)
    return scores


def _with_and_without_marks(
    rows: Sequence[FoldedTarget], marks_of: Callable[[ReplyOption], Sequence[str]]
) -> list[NamedScores]:
    """Return the scores of options with and without each of the frequent marks of a domain."""
    counts = Counter(mark for row in rows for option in row.target.options for mark in marks_of(option))
    tricks: list[NamedScores] = []
    for mark in sorted(counts, key=lambda mark: (-counts[mark], mark))[:MOST_MARKS]:
        marked = [[float(mark in marks_of(option)) for option in row.target.options] for row in rows]
        for rule, sign in ((f"with {mark}", 1), (f"without {mark}", -1)):
            signed = [[0.5 + sign * (n - 0.5) for n in numbers] for numbers in marked]
            pairs = zip(rows, signed, strict=True)
            tricks.append((rule, [score_choice(row, numbers) if numbers else None for row, numbers in pairs]))
    return tricks


def _best_elsewhere(rows: Sequence[FoldedTarget], tricks_on: TricksOnRows) -> Scores:
    """Return in every domain and fold the scores of the trick that is best on the other folds."""
    domains: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        domains[row.target.domain].append(place)
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
