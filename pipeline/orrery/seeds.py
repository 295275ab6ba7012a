"""Streams of random numbers, each derived from the root seed and a path of names."""

from __future__ import annotations

import hashlib
import random


def digest(*path: object) -> bytes:
    """Return 32 bytes that depend on every element of ``path`` and on their boundaries (SHA-256)."""
    return hashlib.sha256(repr(tuple(str(part) for part in path)).encode()).digest()


def stream(seed: int, *path: object) -> random.Random:
    """Return an independent stream for ``path`` under the root ``seed``.

    Hashing, not ``seed + index``: neighbouring seeds must not share rows.
    """
    return random.Random(int.from_bytes(digest(seed, *path)))
