"""Rules that are learned by domain from other problems: which names are right, and which rule is best."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TypeAlias

from orrery.dataset.adversary.targets import FOLDS, Trial
from orrery.dataset.adversary.tried import Scores, Tried, picked
from orrery.families.attack import JUDGE, WRITE, Candidate

MOST_MARKS = 100  # of a domain, the most frequent

Named: TypeAlias = tuple[str, Scores]
RulesOf: TypeAlias = Callable[[Sequence[int]], list[Named]]


def learned(trials: Sequence[Trial], rules: Sequence[Tried]) -> list[Tried]:
    """Return the learned rules with their scores; ``rules`` are those to choose from."""
    if all(trial.target.form == WRITE for trial in trials):
        return []

    def fixed(places: Sequence[int]) -> list[Named]:
        return [(each.rule, [each.scores[place] for place in places]) for each in rules]

    def named(places: Sequence[int]) -> list[Named]:
        return _bearing([trials[place] for place in places], attrgetter("marks"))

    def half_read(places: Sequence[int]) -> list[Named]:
        return _bearing([trials[place] for place in places], attrgetter("conditions"))

    found = [
        Tried("names that are right elsewhere", _names(trials), compares=True),
        Tried("best rule of the domain", _best(trials, fixed), compares=True),
        Tried("best name of the domain", _best(trials, named), compares=True),
    ]
    if any(each.conditions for trial in trials for each in trial.target.candidates):
        found.append(
            Tried(
                "best single condition of the domain", _best(trials, half_read), partial=True, compares=True
            )
        )
    return found


def _names(trials: Sequence[Trial]) -> Scores:
    """Return what picking the candidate scores whose first mark is right most often in other folds."""
    seen: Counter[tuple[str, str, int]] = Counter()
    right: Counter[tuple[str, str, int]] = Counter()
    for trial in trials:
        for each in trial.target.candidates:
            for fold in range(FOLDS):
                if each.marks and fold != trial.fold:
                    seen[trial.target.domain, each.marks[0], fold] += 1
                    right[trial.target.domain, each.marks[0], fold] += each.right
    scores: Scores = []
    for trial in trials:
        target = trial.target
        even = 0.5 if target.form == JUDGE else 1 / max(1, len(target.candidates))
        keys = [(target.domain, (each.marks or ("",))[0], trial.fold) for each in target.candidates]
        rates = [right[key] / seen[key] if seen[key] else even for key in keys]
        scores.append(picked(trial, rates) if rates else None)
    return scores


def _bearing(trials: Sequence[Trial], marks_of: Callable[[Candidate], Sequence[str]]) -> list[Named]:
    """Return what the candidates with a mark, and those without it, score in the rows of a domain."""
    counts = Counter(mark for trial in trials for each in trial.target.candidates for mark in marks_of(each))
    found: list[Named] = []
    for mark in sorted(counts, key=lambda mark: (-counts[mark], mark))[:MOST_MARKS]:
        bears = [[float(mark in marks_of(each)) for each in trial.target.candidates] for trial in trials]
        for rule, sign in ((f"with {mark}", 1), (f"without {mark}", -1)):
            signed = [[0.5 + sign * (each - 0.5) for each in numbers] for numbers in bears]
            pairs = zip(trials, signed, strict=True)
            found.append((rule, [picked(trial, some) if some else None for trial, some in pairs]))
    return found


def _best(trials: Sequence[Trial], rules_of: RulesOf) -> Scores:
    """Return in every domain and fold the scores of the rule that does best on its other folds."""
    domains: dict[str, list[int]] = defaultdict(list)
    for place, trial in enumerate(trials):
        domains[trial.target.domain].append(place)
    found: Scores = [None] * len(trials)
    for places in domains.values():
        rules = rules_of(places)
        for fold in sorted({trials[place].fold for place in places}):
            others = [number for number, place in enumerate(places) if trials[place].fold != fold]
            if others and rules:
                _, scores = max(rules, key=lambda named: (_mean(named[1], others), named[0]))
                for number, place in enumerate(places):
                    if trials[place].fold == fold:
                        found[place] = scores[number]
    return found


def _mean(scores: Scores, places: Sequence[int]) -> float:
    some = [score for place in places if (score := scores[place]) is not None]
    return sum(some) / len(some) if some else 0.0
