"""Overlap of a text with others: token 10-grams with up to 4 mismatches (Touvron et al., 2023).

The search is exact, by the pigeonhole principle: if ten tokens are divided into five pairs, four mismatches
leave one pair intact. So the positions of a gram's pairs are looked up, and all ten tokens are compared only
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orrery.language.tokenizer import content_words, leading

GRAM, MISMATCHES, FIRST = 10, 4, 20
_CHUNK = 50_000  # positions compared at once
_NOWHERE = -1  # separates texts, and represents tokens that the other texts lack


@dataclass(frozen=True, slots=True)
class Overlap:
    """The figures of one text: its 10-grams and those found, its tokens and those within a found gram."""

    grams: int
    found: int
    tokens: int
    covered: int

    @property
    def share(self) -> float | None:
        """The share of 10-grams that were found, from 0 to 1; None for a text shorter than ten tokens."""
        return self.found / self.grams if self.grams else None


def total(figures: Sequence[Overlap]) -> Overlap:
    """Return the figures of all texts together."""
    sums = [sum(getattr(figure, name) for figure in figures) for name in Overlap.__slots__]
    return Overlap(*sums)


class NgramIndex:
    """The texts to search in. Grams never cross the end of a text."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Index ``texts`` by pairs of neighbouring tokens."""
        self.number: dict[str, int] = {}
        stream: list[int] = [_NOWHERE] * GRAM  # so that at least one (padded) window exists
        for text in texts:
            stream += [self.number.setdefault(word, len(self.number)) for word in content_words(text)]
            stream.append(_NOWHERE)
        self.stream = np.array(stream, dtype=np.int64)
        self.windows = np.lib.stride_tricks.sliding_window_view(self.stream, GRAM)
        self.whole: Any = (self.windows >= 0).all(axis=1)
        pairs = self._pairs(self.stream)
        self.places = np.argsort(pairs, kind="stable")
        self.pairs = pairs[self.places]

    def _pairs(self, stream: Any) -> Any:
        """Return a number for each pair of neighbours; negative if one of them is not in the texts."""
        first, second = stream[:-1], stream[1:]
        return np.where((first < 0) | (second < 0), _NOWHERE, first * (len(self.number) + 1) + second)

    def look_up(self, text: str) -> Overlap:
        """Return the overlap of ``text`` with the texts of this index."""
        numbers = [self.number.get(word, _NOWHERE) for word in content_words(text)]
        grams = max(len(numbers) - GRAM + 1, 0)
        if not grams:
            return Overlap(0, 0, len(numbers), 0)
        mine = np.array(numbers, dtype=np.int64)
        pairs = self._pairs(mine)
        lookups: dict[bytes, bool] = {}
        covered, count = np.zeros(len(numbers), dtype=bool), 0
        for at in range(grams):
            gram = mine[at : at + GRAM]
            key = gram.tobytes()
            if key not in lookups:
                lookups[key] = self._stands(gram, pairs[at : at + GRAM - 1])
            if lookups[key]:
                count += 1
                covered[at : at + GRAM] = True
        return Overlap(grams, count, len(numbers), int(covered.sum()))

    def _stands(self, gram: Any, pairs: Any) -> bool:
        """Return whether the index contains a gram with at most ``MISMATCHES`` different tokens."""
        if np.count_nonzero(gram >= 0) < GRAM - MISMATCHES:
            return False
        for starts in self._candidates(pairs):
            equal = (self.windows[starts] == gram) & (gram >= 0)
            if (equal.sum(axis=1) >= GRAM - MISMATCHES).any():
                return True
        return False

    def _candidates(self, pairs: Any) -> Iterator[Any]:
        """Yield the possible positions of a gram by one of its five pairs; rare pairs first."""
        ranges = []
        for offset in range(0, GRAM, 2):
            if pairs[offset] >= 0:
                low, high = np.searchsorted(self.pairs, (pairs[offset], pairs[offset] + 1))
                ranges.append((int(high - low), int(low), offset))
        for size, low, offset in sorted(ranges):
            for at in range(low, low + size, _CHUNK):
                places = self.places[at : min(at + _CHUNK, low + size)] - offset
                places = places[(places >= 0) & (places < len(self.windows))]
                yield places[self.whole[places]]


def compare(texts: Sequence[str], references: Sequence[str]) -> list[Overlap]:
    """Return the overlap of each of ``texts`` with ``references``."""
    index = NgramIndex(references)
    return [index.look_up(text) for text in texts]


def probe(domain: str, complete: Callable[[str], str], first: int = FIRST) -> Overlap:
    """Return the overlap of a domain with its completion, given its first ``first`` tokens of PDDL.

    ``complete`` receives the beginning of the text and returns the continuation. If the continuation repeats
    the beginning, the repetition is not counted.
    """
    begun, continuation = leading(domain, first)
    return NgramIndex([complete(begun)]).look_up(continuation)
