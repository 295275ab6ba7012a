"""Tricks that learn from texts with masked object names: the nearest neighbour, and a small classifier.

Neighbours are from train (from validation, if there is no train), by the cosine of TF-IDF vectors (Salton and
Buckley, 1988). The classifier is a logistic regression on TF-IDF of the words, alone and by domain, and on
the measures of options. It is trained on the other folds, so on other problems.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orrery.dataset.adversary.targets import (
    Scores,
    Targets,
    TrickScores,
    by_row,
    masked,
    score_choices,
)
from orrery.families.attack import JUDGE, WRITE, ReplyOption, Target

AT_ONCE = 100  # rows of the similarity matrix, with MOST_OPTIONS columns each: 10 MB, several times
MOST_OPTIONS = 12_000  # maximum number of training options
MOST_CLASSIFIED, LEAST_CLASSIFIED = 15_000, 20  # maximum number of training options of the classifier


def nearest(rows: Targets) -> list[TrickScores]:
    """Return the scores of nearest-neighbour replies on the rows of other splits."""
    train = [row for row in rows if row.train]
    if not train or len(train) == len(rows):
        return []
    tricks = [TrickScores("nearest text in train", _by_text(rows, train), writes=True)]
    if any(row.form != WRITE for row in rows):
        tricks.append(TrickScores("nearest option in train", _by_option(rows, train), compares=True))
    return tricks


def classified(rows: Targets) -> list[TrickScores]:
    """Return the scores of the classifier; empty if there are too few options to learn from.

    It is trained on evenly spaced rows, up to the limit.
    """
    step = -(-sum(len(row.options) for row in rows) // MOST_CLASSIFIED) or 1
    sample = [row for row in rows[::step] if row.options]
    options = [(row, option) for row in sample for option in row.options]
    rates = _right_rates(options, sample) if len(options) >= LEAST_CLASSIFIED else None
    if rates is None:
        return []
    by_place = [row.options if place % step == 0 else () for place, row in enumerate(rows)]
    return [TrickScores("trained classifier", score_choices(rows, by_row(by_place, rates)), compares=True)]


def _by_text(rows: Targets, train: Targets) -> Scores:
    """Return the scores of the reply to the row with the most similar text."""
    test = [row for row in rows if not row.train]
    learned, queries = ([masked(row.text, row.objects) for row in split] for split in (train, test))
    places, _ = neighbours(learned, queries, list)
    replies = [min(train[place].replies, default=None) for place in places]
    scores = iter([float(reply in row.replies) for reply, row in zip(replies, test, strict=True)])
    return [None if row.train else next(scores) for row in rows]


def _by_option(rows: Targets, train: Targets) -> Scores:
    """Return the scores of the option most similar to a right option, or least similar to a wrong one."""
    options = [() if row.train else row.options for row in rows]
    learned = [(row, option) for row in train for option in row.options]
    learned = learned[:: -(-len(learned) // MOST_OPTIONS) or 1]
    queries = [(row, option) for row, listed in zip(rows, options, strict=True) for option in listed]
    if not learned or not queries:
        return [None] * len(rows)
    words = [
        [[f"domain {row.domain}", *masked(option.text, row.objects)] for row, option in pairs]
        for pairs in (learned, queries)
    ]
    places, cosines = neighbours(words[0], words[1], _words_and_pairs)
    rates = [
        0.5 + (0.5 if learned[place][1].right else -0.5) * cosine
        for place, cosine in zip(places, cosines, strict=True)
    ]
    return score_choices(rows, by_row(options, rates))


def _words_and_pairs(words: list[str]) -> list[str]:
    return [*words, *(f"{first} {second}" for first, second in pairwise(words))]


def neighbours(
    learned: list[list[str]], queries: list[list[str]], terms: Any
) -> tuple[list[int], list[float]]:
    """Return, for each query, the index of the (first) most similar training text and its cosine.

    ``terms`` returns the terms of a list of words.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    if not any(learned):
        return [0] * len(queries), [0.0] * len(queries)
    vectors: Any = TfidfVectorizer(analyzer=terms, sublinear_tf=True)
    store = vectors.fit_transform(learned).T.tocsr()
    matrix = vectors.transform(queries)
    places: list[int] = []
    cosines: list[float] = []
    for start in range(0, len(queries), AT_ONCE):
        similar = (matrix[start : start + AT_ONCE] @ store).toarray().round(6)
        best = similar.argmax(axis=1)
        places += best.tolist()
        cosines += similar[range(len(best)), best].tolist()
    return places, cosines


def _right_rates(options: Sequence[tuple[Target, ReplyOption]], rows: Targets) -> list[float] | None:
    """Return the probability that each option is right, by models of the other folds, or None."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import PredefinedSplit, cross_val_predict

    right = np.array([option.right for _, option in options])
    split = PredefinedSplit(np.array([row.fold for row, _ in options]))
    if split.get_n_splits() < 2 or any(len({*right[train]}) < 2 for train, _ in split.split()):
        return None
    words = TfidfVectorizer(analyzer=list).fit_transform([_own_words(*pair) for pair in options])
    features = hstack([words, csr_matrix(_standardized(options, rows))]).tocsr()
    model = LogisticRegression(solver="liblinear", random_state=0)
    rates = cross_val_predict(model, features, right, cv=split, method="predict_proba")[:, 1]
    return [float(rate) for rate in rates.round(6)]


def _own_words(row: Target, option: ReplyOption) -> list[str]:
    """Return the masked words and the first mark (the names), each once alone and once by domain."""
    words = [*masked(option.text, row.objects), *option.marks[:1]]
    return [*words, *(f"{row.domain}: {word}" for word in words)]


def _standardized(
    options: Sequence[tuple[Target, ReplyOption]], rows: Iterable[Target]
) -> NDArray[np.float64]:
    """Return the measures of the options, standardized within their row; for claims, within the domain."""
    names = sorted({name for _, option in options for name in option.measures})
    values = np.array([[float(option.measures.get(name, 0)) for name in names] for _, option in options])
    groups: dict[object, list[int]] = defaultdict(list)
    start = 0
    for number, row in enumerate(rows):
        end = start + len(row.options)
        groups[row.domain if row.form == JUDGE else number] += range(start, end)
        start = end
    for places in groups.values():
        group = values[places]
        deviation = group.std(axis=0)
        values[places] = (group - group.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    return values.round(6)
