"""Which of many vectors is nearest to a point, of those that are open at the time.

The vectors lie in blocks, each within bounds, so that a question looks at the bounds of all blocks and into
few of them: some square root of their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

LEAST = 32  # vectors a block

Vectors: TypeAlias = NDArray[np.int64]


class OpenVectors:
    """Vectors of whole numbers, known by their row, of which none is open at first."""

    def __init__(self, vectors: Vectors) -> None:
        """Put the rows of ``vectors``, one at least, into blocks of those that are near each other."""
        size = max(LEAST, math.isqrt(len(vectors)))
        self._vectors = vectors
        self._blocks = list(_blocks(vectors, np.arange(len(vectors)), size))
        self._low = np.array([vectors[block].min(axis=0) for block in self._blocks])
        self._high = np.array([vectors[block].max(axis=0) for block in self._blocks])
        self._block_of = np.empty(len(vectors), np.int64)
        for number, block in enumerate(self._blocks):
            self._block_of[block] = number
        self._is_open = np.zeros(len(vectors), np.bool_)
        self._open = np.zeros(len(self._blocks), np.int64)  # how many are open in each block

    def set_open(self, row: int, is_open: bool) -> None:
        """Open a vector, or close it."""
        self._open[self._block_of[row]] += int(is_open) - int(self._is_open[row])
        self._is_open[row] = is_open

    def nearest(self, point: Vectors, most: int) -> tuple[int, int] | None:
        """Return the squared distance and the row of the nearest open vector, the first at a tie.

        None where each is farther away than the squared distance ``most``.
        """
        outside = np.maximum(np.maximum(self._low - point, point - self._high), 0)
        bounds = (outside * outside).sum(axis=1)
        near = np.flatnonzero((bounds <= most) & (self._open > 0))
        near = near[bounds[near].argsort()]
        found: tuple[int, int] | None = None
        start, width = 0, 1
        while start < len(near) and bounds[near[start]] <= most:
            some = near[start : start + width]
            rows = np.concatenate([self._blocks[number] for number in some[bounds[some] <= most]])
            rows = rows[self._is_open[rows]]
            apart = self._vectors[rows] - point
            distances = (apart * apart).sum(axis=1)
            least = int(distances.min())
            if least <= most:
                mine = least, int(rows[distances == least].min())
                found, most = min(mine, found or mine), least
            start, width = start + width, 2 * width
        return found


def _blocks(vectors: Vectors, rows: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """Yield the rows in blocks of ``size`` at most, halved where they differ most."""
    mine = vectors[rows]
    if len(rows) <= size or not mine.shape[1]:
        yield rows
        return
    widest = int((mine.max(axis=0) - mine.min(axis=0)).argmax())
    halves = mine[:, widest].argpartition(len(rows) // 2)
    yield from _blocks(vectors, rows[halves[: len(rows) // 2]], size)
    yield from _blocks(vectors, rows[halves[len(rows) // 2 :]], size)
