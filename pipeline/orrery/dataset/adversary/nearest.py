"""The nearest neighbour in train (validation, if there is no train), by texts with masked names of objects.

Texts are compared by the cosine of their TF-IDF vectors (Salton and Buckley, 1988).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from orrery.dataset.adversary.scores import Scores, TrickScores, score_choice
from orrery.dataset.adversary.targets import FoldedTarget, masked
from orrery.families.attack import WRITE

AT_ONCE = 100  # rows of the matrix of similarities, of MOST_OPTIONS columns each: 10 MB, several times
MOST_OPTIONS = 12_000  # to learn from


def nearest(rows: Sequence[FoldedTarget]) -> list[TrickScores]:
    """Return the scores of the replies of nearest neighbours on the rows of other splits."""
    train = [row for row in rows if row.train]
    if not train or len(train) == len(rows):
        return []
    tricks = [TrickScores("nearest text in train", _by_text(rows, train), writes=True)]
    if any(row.target.form != WRITE for row in rows):
        tricks.append(TrickScores("nearest option in train", _by_option(rows, train), compares=True))
    return tricks


def _by_text(rows: Sequence[FoldedTarget], train: Sequence[FoldedTarget]) -> Scores:
    """Return the scores of the reply to the row with the most similar text."""
    test = [row for row in rows if not row.train]
    texts = [[masked(row.target.text, row.target.objects) for row in split] for split in (train, test)]
    places, _ = _neighbours(texts[0], texts[1], _single_words)
    replies = [min(train[place].target.replies, default=None) for place in places]
    scores = iter([float(reply in row.target.replies) for reply, row in zip(replies, test, strict=True)])
    return [None if row.train else next(scores) for row in rows]


def _by_option(rows: Sequence[FoldedTarget], train: Sequence[FoldedTarget]) -> Scores:
    """Return the scores of the option that is nearest to a right one, or least near to a wrong one."""
    learned = [(_words(row, option.text), option.right) for row in train for option in row.target.options]
    learned = learned[:: -(-len(learned) // MOST_OPTIONS) or 1]
    queries = [_words(row, option.text) for row in rows if not row.train for option in row.target.options]
    if not learned or not queries:
        return [None] * len(rows)
    places, cosines = _neighbours([words for words, _ in learned], queries, _words_and_pairs)
    numbers = iter(
        [
            0.5 + (0.5 if learned[place][1] else -0.5) * cosine
            for place, cosine in zip(places, cosines, strict=True)
        ]
    )
    scores: Scores = []
    for row in rows:
        values = [] if row.train else [next(numbers) for _ in row.target.options]
        scores.append(score_choice(row, values) if values else None)
    return scores


def _words(row: FoldedTarget, text: str) -> list[str]:
    """Return the masked words of an option, and its domain as a word."""
    return [f"domain {row.target.domain}", *masked(text, row.target.objects)]


def _neighbours(
    learned: list[list[str]], queries: list[list[str]], terms: Any
) -> tuple[list[int], list[float]]:
    """Return for each query the place of the most similar learned text (the first of several) and its cosine.

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


def _single_words(words: list[str]) -> list[str]:
    return words


def _words_and_pairs(words: list[str]) -> list[str]:
    return [*words, *(f"{first} {second}" for first, second in pairwise(words))]
