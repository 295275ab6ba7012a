"""What a sampler remembers of its draws: keys that were taken, in memory or on the disk, and draws to come.

Keys are told apart by eight bytes of a hash of theirs, as prefixes of keys are. Of n different keys some two
have the same with a chance of n * n / 2 ** 65, which is 3e-8 for a million; then a problem that is not there
yet is left out, and none ever stands twice.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orrery.families.problems.candidates import ProblemCandidate
from orrery.families.problems.quotas import Draw
from orrery.model import ConfigurationPair

PREFIX_BYTES = 8
REMEMBERED = 256  # prefixes: a key is asked for in several sets, one after the other


class KeySet:
    """A set of keys by their prefixes, in some eighty bytes each."""

    def __init__(self) -> None:
        """Begin with none."""
        self._prefixes: set[int] = set()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._prefixes)

    def __contains__(self, key: str) -> bool:
        """Return whether the key was put in."""
        return _prefix(key) in self._prefixes

    def add(self, key: str) -> None:
        """Put a key in."""
        self._prefixes.add(_prefix(key))

    def recall(self, keys: Iterable[str]) -> None:
        """Have at hand which of these keys were put in: all are."""


@lru_cache(maxsize=REMEMBERED)
def _prefix(key: str) -> int:
    """Return eight bytes of the key's hash as a number above 0, which stands for none."""
    return int.from_bytes(blake2b(key.encode(), digest_size=PREFIX_BYTES).digest()) or 1


class StoredKeySet(KeySet):
    """A set of keys on the disk, in a file for each first byte of their prefixes.

    In memory are those of the keys at hand (``recall``), and what was put in since. Others are looked up in
    their file.
    """

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self._folder = Path(tempfile.mkdtemp(prefix="orrery-keys-"))
        self._at_hand, self._new, self._stored = np.empty(0, np.uint64), array("Q"), 0

    def __len__(self) -> int:
        """Return how many there are."""
        return self._stored + len(self._new)

    def __contains__(self, key: str) -> bool:
        """Return whether the key was put in."""
        if super().__contains__(key):
            return True
        prefix = _prefix(key)
        if _is_among(prefix, self._at_hand) or not self._file(prefix).exists():
            return False
        return _is_among(prefix, np.memmap(self._file(prefix), np.uint64, "r"))

    def add(self, key: str) -> None:
        """Put a key in."""
        if key not in self:
            super().add(key)
            self._new.append(_prefix(key))

    def recall(self, keys: Iterable[str]) -> None:
        """Have at hand which of these keys were put in."""
        self._put_away()
        self._prefixes = set()
        self._at_hand = np.unique(np.fromiter(map(_prefix, keys), np.uint64))
        for some in _by_first_byte(self._at_hand):
            self._prefixes.update(some[_among(some, self._stored_like(int(some[0])))].tolist())

    def _put_away(self) -> None:
        """Bring what is new to the files, sorted."""
        for some in _by_first_byte(np.sort(np.array(self._new, np.uint64))):
            together = np.sort(np.concatenate([self._stored_like(int(some[0])), some]), kind="stable")
            together.tofile(self._file(int(some[0])))
        self._stored += len(self._new)
        self._new = array("Q")

    def _stored_like(self, prefix: int) -> NDArray[np.uint64]:
        file = self._file(prefix)
        return np.fromfile(file, np.uint64) if file.exists() else np.empty(0, np.uint64)

    def _file(self, prefix: int) -> Path:
        return self._folder / f"{prefix >> 56:02x}"


def _by_first_byte(prefixes: NDArray[np.uint64]) -> list[NDArray[np.uint64]]:
    """Return sorted prefixes in groups of one first byte."""
    changes = np.flatnonzero(np.diff(prefixes >> np.uint64(56))) + 1
    return np.split(prefixes, changes) if len(prefixes) else []


def _is_among(prefix: int, stored: NDArray[np.uint64]) -> bool:
    """Return whether a prefix is among sorted ones."""
    at = int(stored.searchsorted(np.uint64(prefix)))
    return at < len(stored) and int(stored[at]) == prefix


def _among(some: NDArray[np.uint64], stored: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which of some prefixes are among sorted ones."""
    at = np.searchsorted(stored, some)
    found: NDArray[np.bool_] = np.append(stored, np.uint64(0))[at] == some  # none is 0
    return found


class DrawList:
    """Draws of one domain in the order in which they were put in, in eight to sixteen bytes each."""

    def __init__(self) -> None:
        """Begin with none."""
        self._kinds: dict[tuple[str, str, ConfigurationPair], int] = {}
        self._of, self._numbers = array("L"), array("L")

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._numbers)

    def __iter__(self) -> Iterator[Draw]:
        """Yield the draws."""
        kinds = list(self._kinds)
        for of, number in zip(self._of, self._numbers, strict=True):
            yield Draw(*kinds[of], number)

    def append(self, draw: Draw) -> None:
        """Put a draw in."""
        self._of.append(self._kinds.setdefault((draw.domain, draw.difficulty, draw.task), len(self._kinds)))
        self._numbers.append(draw.number)


class Rejects:
    """Candidates that were not accepted, without their records; they come back in the order of draws."""

    def __init__(self) -> None:
        """Begin with none."""
        self._numbers: dict[tuple[str, str, ConfigurationPair], dict[tuple[str, str], array[int]]] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(len(numbers) for by_reason in self._numbers.values() for numbers in by_reason.values())

    def __iter__(self) -> Iterator[ProblemCandidate]:
        """Yield the candidates."""
        for kind, by_reason in sorted(self._numbers.items()):
            numbered = [(number, why) for why, numbers in by_reason.items() for number in numbers]
            for number, (reason, detail) in sorted(numbered):
                yield ProblemCandidate(Draw(*kind, number), None, reason, detail)

    def append(self, candidate: ProblemCandidate) -> None:
        """Put a candidate in."""
        domain, difficulty, task, number = candidate.draw
        by_reason = self._numbers.setdefault((domain, difficulty, task), {})
        by_reason.setdefault((candidate.reason, candidate.detail), array("L")).append(number)
