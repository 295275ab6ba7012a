"""The nearest neighbour in train (validation, where there is none), by texts with masked names of objects.

Texts are compared by the cosine of their TF-IDF vectors (Salton and Buckley, 1988).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from orrery.dataset.adversary.targets import Trial, masked
from orrery.dataset.adversary.tried import Scores, Tried, picked
from orrery.families.attack import WRITE

AT_ONCE = 100  # rows of the matrix of similarities, of MOST_CANDIDATES columns each: 10 MB, several times
MOST_CANDIDATES = 12_000  # to learn from


def nearest(trials: Sequence[Trial]) -> list[Tried]:
    """Return what the nearest neighbours' replies score on the rows of other splits."""
    train = [trial for trial in trials if trial.train]
    if not train or len(train) == len(trials):
        return []
    found = [Tried("nearest text in train", _by_text(trials, train), writes=True)]
    if any(trial.target.form != WRITE for trial in trials):
        found.append(Tried("nearest option in train", _by_candidate(trials, train), compares=True))
    return found


def _by_text(trials: Sequence[Trial], train: Sequence[Trial]) -> Scores:
    """Return the scores of the reply to the row of the most similar text."""
    rest = [trial for trial in trials if not trial.train]
    texts = [[masked(t.target.text, t.target.objects) for t in some] for some in (train, rest)]
    places, _ = _neighbours(texts[0], texts[1], together=1)
    replies = [min(train[place].target.replies, default=None) for place in places]
    right = iter([float(reply in t.target.replies) for reply, t in zip(replies, rest, strict=True)])
    return [None if trial.train else next(right) for trial in trials]


def _by_candidate(trials: Sequence[Trial], train: Sequence[Trial]) -> Scores:
    """Return the scores of the candidate that is nearest to a right one, or least near to a wrong one."""
    known = [(_words(trial, each.text), each.right) for trial in train for each in trial.target.candidates]
    known = known[:: -(-len(known) // MOST_CANDIDATES) or 1]
    rest = [trial for trial in trials if not trial.train]
    asked = [_words(trial, each.text) for trial in rest for each in trial.target.candidates]
    if not known or not asked:
        return [None] * len(trials)
    places, near = _neighbours([words for words, _ in known], asked, together=2)
    numbers = iter(
        [0.5 + (0.5 if known[place][1] else -0.5) * how for place, how in zip(places, near, strict=True)]
    )
    scores: Scores = []
    for trial in trials:
        some = [] if trial.train else [next(numbers) for _ in trial.target.candidates]
        scores.append(picked(trial, some) if some else None)
    return scores


def _words(trial: Trial, text: str) -> list[str]:
    """Return the masked words of a candidate, and its domain as a word."""
    return [f"domain {trial.target.domain}", *masked(text, trial.target.objects)]


def _neighbours(
    known: list[list[str]], asked: list[list[str]], *, together: int
) -> tuple[list[int], list[float]]:
    """Return for each of ``asked`` the most similar of ``known``, the first of several, and how similar.

    Compared are the words, and so many ``together``.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    if not any(known):
        return [0] * len(asked), [0.0] * len(asked)
    parts = _pairs if together == 2 else _words_alone
    vectors: Any = TfidfVectorizer(analyzer=parts, sublinear_tf=True)
    store = vectors.fit_transform(known).T.tocsr()
    queries = vectors.transform(asked)
    places: list[int] = []
    near: list[float] = []
    for start in range(0, len(asked), AT_ONCE):
        similar = (queries[start : start + AT_ONCE] @ store).toarray().round(6)
        best = similar.argmax(axis=1)
        places += best.tolist()
        near += similar[range(len(best)), best].tolist()
    return places, near


def _words_alone(words: list[str]) -> list[str]:
    return words


def _pairs(words: list[str]) -> list[str]:
    """Return the words, and each two in a row."""
    return [*words, *(f"{one} {other}" for one, other in pairwise(words))]
