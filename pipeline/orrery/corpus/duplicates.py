"""Near-duplicates: texts whose tokens, weighted by TF-IDF, point the same way (cosine above a threshold)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from orrery.language.tokenizer import symbols

THRESHOLD = 0.9


class Vectors:
    """Unit vectors of term frequency times ``ln((1 + n) / (1 + df)) + 1`` (Salton and Buckley, 1988)."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Weigh the tokens of ``texts``; parentheses are no tokens here."""
        counts = [Counter(token for token in symbols(text) if token not in "()") for text in texts]
        frequency = Counter(token for count in counts for token in count)
        n = len(counts)
        weight = {token: np.log((1 + n) / (1 + df)) + 1 for token, df in frequency.items()}
        self.number = {token: i for i, token in enumerate(frequency)}
        self.rows: list[tuple[Any, Any]] = []
        for count in counts:
            values = np.array([times * weight[token] for token, times in count.items()])
            length = float(np.sqrt((values**2).sum())) or 1.0
            self.rows.append((np.array([self.number[t] for t in count], dtype=np.int64), values / length))

    def dense(self, row: int) -> Any:
        """Return one text's vector over all tokens."""
        whole = np.zeros(len(self.number))
        terms, values = self.rows[row]
        whole[terms] = values
        return whole

    def cosine(self, whole: Any, row: int) -> float:
        """Return the cosine between a ``dense`` vector and a text."""
        terms, values = self.rows[row]
        return float(whole[terms] @ values) if len(terms) else 0.0


def near_duplicates(
    texts: Sequence[str], threshold: float = THRESHOLD, known: int = 0
) -> list[tuple[int, float] | None]:
    """Return, for each text, its nearest earlier kept text and their cosine if above ``threshold``.

    Texts are kept in their order unless they duplicate one kept before; None stands for a kept one. The
    first ``known`` texts are kept whatever they are.
    """
    vectors = Vectors(texts)
    kept: list[int] = []
    found: list[tuple[int, float] | None] = []
    for row in range(len(texts)):
        whole = vectors.dense(row)
        others = kept if row >= known else ()
        nearest = max(((vectors.cosine(whole, other), -other) for other in others), default=(0.0, 0))
        duplicate = bool(others) and nearest[0] > threshold
        found.append((-nearest[1], nearest[0]) if duplicate else None)
        if not duplicate:
            kept.append(row)
    return found
