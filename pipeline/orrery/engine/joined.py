"""Several sequences of work items as one, for items that are made when they are asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar, overload

Item = TypeVar("Item", covariant=True)


class Joined(Sequence[Item]):
    """The items of some sequences, one sequence after the other; none is copied."""

    def __init__(self, *sequences: Sequence[Item]) -> None:
        """Take the sequences, which keep their lengths."""
        self._sequences = sequences
        self._starts = list(accumulate(map(len, sequences), initial=0))

    def __len__(self) -> int:
        """Return the number of all items."""
        return self._starts[-1]

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...

    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        """Return an item, or a list of some."""
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        number = range(len(self))[place]  # raises, and counts from the end
        which = bisect_right(self._starts, number) - 1
        return self._sequences[which][number - self._starts[which]]
