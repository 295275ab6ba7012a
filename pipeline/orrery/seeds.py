"""Streams of random numbers, each derived from the root seed and a path of names."""

from __future__ import annotations

import hashlib
import random
from functools import lru_cache
from math import ceil, log
from typing import Any

SOME = 64  # elements of a sample, up to which it is drawn here
KEPT = 1_000  # beginnings of paths
# Elements of which FEW are drawn, or more, up to which those left are held in a list.
SHORT, FEW = 21, 5


class Stream(random.Random):
    """A stream that draws what ``random.Random`` draws; choices and samples of some take half the time."""

    def choice(self, seq: Any) -> Any:
        """Return an element of a sequence, drawn as CPython 3.11 does; IndexError where there is none."""
        if not (count := len(seq)):
            return super().choice(seq)  # raises
        draw, width = self.getrandbits, count.bit_length()
        at = draw(width)
        while at >= count:
            at = draw(width)
        return seq[at]

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
        """Return ``k`` different elements of a sequence, drawn as CPython 3.11 does.

        Numbers below ``n`` are drawn from as many bits as ``n`` has, until one is below ``n``.
        """
        count = len(population)
        if not 0 < k <= SOME or k > count or counts is not None:
            return super().sample(population, k, counts=counts)
        draw, width = self.getrandbits, count.bit_length()
        at = draw(width)
        while at >= count:
            at = draw(width)
        first = population[at]
        if k == 1:
            return [first]
        if count > SHORT and (k <= FEW or count > SHORT + 4 ** ceil(log(k * 3, 4))):
            places = {at: None}  # in the order in which they are drawn
            while len(places) < k:
                at = draw(width)
                if at < count:
                    places[at] = None
            return [population[at] for at in places]
        left = list(population)
        found = [first]
        while len(found) < k:
            count -= 1
            left[at] = left[count]
            width = count.bit_length()
            at = draw(width)
            while at >= count:
                at = draw(width)
            found.append(left[at])
        return found


def digest(*path: object) -> bytes:
    """Return 32 bytes that depend on every element of ``path`` and on their boundaries (SHA-256)."""
    return hashlib.sha256(repr(tuple(map(str, path))).encode()).digest()


def stream(seed: int, *path: object) -> Stream:
    """Return an independent stream for ``path`` under the root ``seed``.

    Hashing, not ``seed + index``: neighbouring seeds must not share rows.
    """
    return Stream(int.from_bytes(digest(seed, *path)))


class Streams:
    """Streams under one root seed, one at a time: each is ``stream``, and the one before ends.

    To make one takes a third of the time: ``random.Random`` seeds itself twice, and what paths begin with is
    hashed once.
    """

    def __init__(self, seed: int) -> None:
        """Prepare streams under the root ``seed``."""
        self._seed, self._rng = str(seed), Stream(0)
        self._begun = lru_cache(maxsize=KEPT)(self._begun_with)

    def next(self, *path: object) -> Stream:
        """Return the stream for ``path``, not an empty one; it lasts until the next is asked for."""
        *begin, end = map(str, path)
        hashed = self._begun(*begin).copy()
        hashed.update(f"{end!r})".encode())
        self._rng.seed(int.from_bytes(hashed.digest()))
        return self._rng

    def _begun_with(self, *path: str) -> hashlib._Hash:
        """Return what ``digest`` hashes of paths that begin so, with more behind it."""
        return hashlib.sha256(repr((self._seed, *path, ""))[: -len("'')")].encode())
