"""Near-duplicates: texts whose tokens, weighted by TF-IDF, point the same way (cosine above a threshold)."""

from __future__ import annotations

from collections.abc import Sequence

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import linear_kernel

from orrery.language.tokenizer import symbols

THRESHOLD = 0.9


def near_duplicates(
    texts: Sequence[str], threshold: float = THRESHOLD, references: int = 0
) -> list[tuple[int, float] | None]:
    """Return, for each text, its nearest earlier kept text and their cosine if above ``threshold``.

    Texts are kept in their order unless they duplicate one kept before; None stands for a kept one. The
    first ``references`` texts are always kept. Tokens are weighted by term frequency times
    ``ln((1 + n) / (1 + df)) + 1`` (Salton and Buckley, 1988).
    """
    if not any(map(_words, texts)):
        return [None] * len(texts)
    vectors = TfidfVectorizer(analyzer=_words).fit_transform(texts)
    kept_rows: list[int] = []
    duplicates: list[tuple[int, float] | None] = []
    for row in range(len(texts)):
        duplicate = None
        if row >= references and kept_rows:
            cosines = linear_kernel(vectors[row], vectors[kept_rows]).ravel()
            nearest = int(cosines.argmax())
            if cosines[nearest] > threshold:
                duplicate = kept_rows[nearest], float(cosines[nearest])
        duplicates.append(duplicate)
        if duplicate is None:
            kept_rows.append(row)
    return duplicates


def _words(text: str) -> list[str]:
    """Return the tokens of PDDL without parentheses."""
    return [token for token in symbols(text) if token not in "()"]
