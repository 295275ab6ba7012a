"""A small trained classifier: words of question or option without objects, and what can be measured of it.

TF-IDF of the masked words, by themselves and by domain, beside the measures, feed a logistic regression that
says of each candidate whether it is right; it is trained on the other folds, so on other problems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from operator import itemgetter
from statistics import fmean, pstdev
from typing import Any

from orrery.dataset.adversary.targets import FOLDS, Trial, masked
from orrery.dataset.adversary.tried import Scores, Tried, picked
from orrery.families.attack import JUDGE

MOST = 15_000  # candidates to learn from
LEAST = 20


def classified(trials: Sequence[Trial]) -> list[Tried]:
    """Return what the classifier scores; nothing where too few candidates are there to learn from."""
    places = _some(trials)
    candidates = [(place, each) for place in places for each in trials[place].target.candidates]
    if len(candidates) < LEAST:
        return []
    words = [_words(trials[place], each.text, each.marks[:1]) for place, each in candidates]
    numbers = [row for some in _numbers([trials[place] for place in places]) for row in some]
    matrix = _matrix(list(zip(words, numbers, strict=True)))
    labels = [each.right for _, each in candidates]
    folds = [trials[place].fold for place, _ in candidates]
    rates = _rates(matrix, labels, folds)
    if rates is None:
        return []
    said = iter(rates)
    chosen = {place: [next(said) for _ in trials[place].target.candidates] for place in places}
    scores: Scores = [
        picked(trial, chosen[place]) if chosen.get(place) else None for place, trial in enumerate(trials)
    ]
    return [Tried("trained classifier", scores, compares=True)]


def _some(trials: Sequence[Trial]) -> list[int]:
    """Return the rows whose candidates are learned from: as many as the limit admits, evenly spread."""
    count = sum(len(trial.target.candidates) for trial in trials)
    step = -(-count // MOST) or 1
    return [place for place, trial in enumerate(trials) if place % step == 0 and trial.target.candidates]


def _words(trial: Trial, text: str, marks: Sequence[str]) -> list[str]:
    """Return the masked words and the first mark (its names), each once by itself and once by domain."""
    some = [*masked(text, trial.target.objects), *marks]
    return [*some, *(f"{trial.target.domain}: {word}" for word in some)]


def _matrix(features: Sequence[tuple[list[str], Mapping[str, float]]]) -> Any:
    """Return the sparse matrix of the words' TF-IDF beside the numbers."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import FeatureUnion, make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    words = TfidfVectorizer(analyzer=itemgetter(0))
    numbers = make_pipeline(FunctionTransformer(_second), DictVectorizer())
    return FeatureUnion([("words", words), ("numbers", numbers)]).fit_transform(features).tocsr()


def _second(features: Sequence[tuple[list[str], Mapping[str, float]]]) -> list[Mapping[str, float]]:
    return [numbers for _, numbers in features]


def _numbers(trials: Sequence[Trial]) -> list[list[dict[str, float]]]:
    """Return the measures of the candidates: among those of a row, or of a domain for claims to be judged."""
    names = sorted({name for t in trials for each in t.target.candidates for name in each.measures})
    raw = [
        [[float(each.measures.get(name, 0)) for name in names] for each in trial.target.candidates]
        for trial in trials
    ]
    domains: dict[str, list[list[float]]] = {}
    for trial, rows in zip(trials, raw, strict=True):
        if trial.target.form == JUDGE:
            domains.setdefault(trial.target.domain, []).extend(rows)
    scales = {domain: _scales(rows) for domain, rows in domains.items()}
    scaled = [
        _scaled(rows, scales[trial.target.domain] if trial.target.form == JUDGE else _scales(rows))
        for trial, rows in zip(trials, raw, strict=True)
    ]
    return [[dict(zip(names, row, strict=True)) for row in rows] for rows in scaled]


def _scales(rows: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """Return mean and deviation of each column; 1 where it is constant."""
    return [(fmean(column), _deviation(column) or 1.0) for column in zip(*rows, strict=True)]


def _deviation(column: Sequence[float]) -> float:
    """Return the standard deviation of the population; sums of whole numbers are exact, and quicker."""
    if not all(map(float.is_integer, column)):
        return pstdev(column)
    whole = list(map(int, column))
    return sqrt(len(whole) * sum(value * value for value in whole) - sum(whole) ** 2) / len(whole)


def _scaled(rows: Sequence[Sequence[float]], scales: Sequence[tuple[float, float]]) -> list[list[float]]:
    return [
        [round((value - mean) / deviation, 6) for value, (mean, deviation) in zip(row, scales, strict=True)]
        for row in rows
    ]


def _rates(matrix: Any, labels: Sequence[bool], folds: Sequence[int]) -> list[float] | None:
    """Return how probably each candidate is right, by models of the other folds; None where none can be."""
    from sklearn.linear_model import LogisticRegression

    found = [0.5] * len(labels)
    learned = False
    for fold in range(FOLDS):
        train = [place for place, each in enumerate(folds) if each != fold]
        test = [place for place, each in enumerate(folds) if each == fold]
        if test and len({labels[place] for place in train}) == 2:
            model = LogisticRegression(solver="liblinear", random_state=0)
            model.fit(matrix[train], [labels[place] for place in train])
            for place, rate in zip(test, model.predict_proba(matrix[test])[:, 1].tolist(), strict=True):
                found[place] = round(rate, 6)
            learned = True
    return found if learned else None
