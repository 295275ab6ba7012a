"""A small trained classifier: words of the question or option without objects, and its measures.

TF-IDF of the masked words, alone and by domain, and the measures are the features of a logistic regression
that predicts of each option whether it is right. It is trained on the other folds, so on other problems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orrery.dataset.adversary.scores import Scores, TrickScores, score_choice
from orrery.dataset.adversary.targets import FoldedTarget, masked
from orrery.families.attack import JUDGE, ReplyOption

MOST = 15_000  # options to learn from
LEAST = 20


def classified(rows: Sequence[FoldedTarget]) -> list[TrickScores]:
    """Return the scores of the classifier; nothing if there are too few options to learn from."""
    places = _sample(rows)
    options = [(rows[place], option) for place in places for option in rows[place].target.options]
    if len(options) < LEAST:
        return []
    words = [_words(row, option) for row, option in options]
    rates = _predicted(
        _features(words, _standardized([rows[place] for place in places])),
        np.array([option.right for _, option in options]),
        np.array([row.fold for row, _ in options]),
    )
    if rates is None:
        return []
    predictions = iter(rates)
    predicted = {place: [next(predictions) for _ in rows[place].target.options] for place in places}
    scores: Scores = [
        score_choice(row, predicted[place]) if place in predicted else None for place, row in enumerate(rows)
    ]
    return [TrickScores("trained classifier", scores, compares=True)]


def _sample(rows: Sequence[FoldedTarget]) -> list[int]:
    """Return the places of the rows to learn from: as many as the limit admits, evenly spread."""
    total = sum(len(row.target.options) for row in rows)
    step = -(-total // MOST) or 1
    return [place for place, row in enumerate(rows) if place % step == 0 and row.target.options]


def _words(row: FoldedTarget, option: ReplyOption) -> list[str]:
    """Return the masked words and the first mark (its names), each once alone and once by domain."""
    words = [*masked(option.text, row.target.objects), *option.marks[:1]]
    return [*words, *(f"{row.target.domain}: {word}" for word in words)]


def _features(words: Sequence[list[str]], measures: NDArray[np.float64]) -> Any:
    """Return the sparse matrix of the words' TF-IDF beside the measures."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer

    return hstack([TfidfVectorizer(analyzer=list).fit_transform(words), csr_matrix(measures)]).tocsr()


def _standardized(rows: Sequence[FoldedTarget]) -> NDArray[np.float64]:
    """Return the measures of the options, standardized within their row, or within a domain for claims."""
    names = sorted({name for row in rows for option in row.target.options for name in option.measures})
    options = [option for row in rows for option in row.target.options]
    values = np.array([[float(option.measures.get(name, 0)) for name in names] for option in options])
    for places in _groups(rows):
        group = values[places]
        deviation = group.std(axis=0)
        values[places] = (group - group.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    return values.round(6)


def _groups(rows: Sequence[FoldedTarget]) -> Iterator[list[int]]:
    """Yield the places of options that are compared: those of a row, and all claims of a domain."""
    claims: dict[str, list[int]] = {}
    start = 0
    for row in rows:
        places = list(range(start, start + len(row.target.options)))
        start += len(places)
        if row.target.form == JUDGE:
            claims.setdefault(row.target.domain, []).extend(places)
        else:
            yield places
    yield from claims.values()


def _predicted(matrix: Any, right: NDArray[np.bool_], folds: NDArray[np.int64]) -> list[float] | None:
    """Return the probability that each option is right by models of the other folds, if they can learn."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import PredefinedSplit, cross_val_predict

    split = PredefinedSplit(folds)
    if len({*folds}) < 2 or any(len({*right[train]}) < 2 for train, _ in split.split()):
        return None
    model = LogisticRegression(solver="liblinear", random_state=0)
    rates = cross_val_predict(model, matrix, right, cv=split, method="predict_proba")[:, 1]
    return [float(rate) for rate in rates.round(6)]
