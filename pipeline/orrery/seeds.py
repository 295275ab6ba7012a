"""Streams of random numbers, each derived from the root seed and a path of names."""

from __future__ import annotations

import hashlib
import random


def digest(*path: object) -> bytes:
    """Return 32 bytes that depend on every element of ``path`` and on their boundaries (SHA-256)."""
    return hashlib.sha256(repr(tuple(map(str, path))).encode()).digest()


def stream(seed: int, *path: object) -> random.Random:
    """Return an independent stream for ``path`` under the root ``seed``.

    Hashing, not ``seed + index``: neighbouring seeds must not share rows.
    """
    return random.Random(int.from_bytes(digest(seed, *path)))


class Streams:
    """Streams under one root seed, one at a time: each is ``stream``, and the one before ends.

    To make one takes half the time, for ``random.Random`` seeds itself twice.
    """

    def __init__(self, seed: int) -> None:
        """Prepare streams under the root ``seed``."""
        self._seed, self._rng = seed, random.Random(0)

    def next(self, *path: object) -> random.Random:
        """Return the stream for ``path``; it lasts until the next is asked for."""
        self._rng.seed(int.from_bytes(digest(self._seed, *path)))
        return self._rng
