"""What a sampler remembers of millions of draws in a few bytes each: keys that were taken, draws to come.

Keys are told apart by eight bytes of a hash of theirs, as prefixes of keys are. Of n different keys some two
have the same with a chance of n * n / 2 ** 65, which is 3e-8 for a million; then a problem that is not there
yet is left out, and none ever stands twice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b

from orrery.families.problems.candidates import ProblemCandidate
from orrery.families.problems.quotas import Draw
from orrery.model import Task

PREFIX_BYTES = 8
_FEW = 1 << 10


class KeySet:
    """A set of keys by their prefixes, in sixteen to thirty-two bytes each (open addressing)."""

    def __init__(self) -> None:
        """Begin with none."""
        self._table = array("Q", bytes(PREFIX_BYTES * _FEW))
        self._count = 0

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count

    def __contains__(self, key: str) -> bool:
        """Return whether the key was put in."""
        prefix = _prefix(key)
        return self._table[self._place(prefix)] == prefix

    def add(self, key: str) -> None:
        """Put a key in."""
        prefix = _prefix(key)
        place = self._place(prefix)
        if self._table[place] != prefix:
            self._table[place] = prefix
            self._count += 1
            if 2 * self._count > len(self._table):
                self._grow()

    def _place(self, prefix: int) -> int:
        """Return where the prefix stands, or is to stand."""
        table, mask = self._table, len(self._table) - 1
        place = prefix & mask
        while table[place] not in (0, prefix):
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        old = self._table
        self._table = array("Q", bytes(2 * PREFIX_BYTES * len(old)))
        for prefix in filter(None, old):
            self._table[self._place(prefix)] = prefix


def _prefix(key: str) -> int:
    """Return eight bytes of the key's hash as a number above 0, which stands for an empty place."""
    return int.from_bytes(blake2b(key.encode(), digest_size=PREFIX_BYTES).digest()) or 1


class DrawList:
    """Draws of one domain in the order in which they were put in, in eight to sixteen bytes each."""

    def __init__(self) -> None:
        """Begin with none."""
        self._kinds: dict[tuple[str, str, Task], int] = {}
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
        self._numbers: dict[tuple[str, str, Task], dict[tuple[str, str], array[int]]] = {}

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
