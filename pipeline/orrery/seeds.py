"""Independent random streams, derived from the root seed and a path of names."""

from __future__ import annotations

import hashlib
import random


def digest(*path: object) -> bytes:
    """Return the SHA-256 hash of a path: 32 bytes that depend on every element and on their boundaries."""
    return hashlib.sha256(repr(tuple(map(str, path))).encode()).digest()


def seed_commitment(seed: int) -> str:
    """Return the SHA-256 hash, in hexadecimal, that is published in place of a secret root seed."""
    return digest("seed", seed).hex()


def stream(seed: int, *path: object) -> random.Random:
    """Return the random stream of ``path`` under the root ``seed``, independent of all other streams.

    The seed is hashed together with the path. With ``seed + index`` instead, neighbouring seeds would share
    rows.
    """
    return random.Random(int.from_bytes(digest(seed, *path)))
