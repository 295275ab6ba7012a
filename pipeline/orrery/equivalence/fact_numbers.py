"""Facts and lists of objects as numbers: the same fact has the same number in all problems of a domain.

Numbers are given as facts come by and mean nothing outside the process: nothing that is written depends on
them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orrery.model import Atom, Domain, TypedName

FactColumns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class FactNumbers(dict[Atom, int]):
    """Numbers of facts, by fact: a new one gets the next.

    ``facts`` has them in the order of their numbers; ``objects`` numbers the names that stand in them.
    """

    def __init__(self, domain: Domain) -> None:
        """Begin with no facts."""
        super().__init__()
        self.predicates = {predicate.name: number for number, predicate in enumerate(domain.predicates)}
        self.facts: list[Atom] = []
        self.objects: dict[str, int] = {}
        self._rows: list[tuple[int, int, int]] = []
        self._columns: FactColumns | None = None

    def __missing__(self, fact: Atom) -> int:
        """Give a fact its number."""
        numbers = [self.objects.setdefault(name, len(self.objects)) for name in fact[1:]]
        first, last = (numbers[0], numbers[-1]) if numbers else (-1, -1)
        self._rows.append((self.predicates[fact[0]], first, last))
        self._columns = None
        self[fact] = len(self.facts)
        self.facts.append(fact)
        return self[fact]

    def columns(self) -> FactColumns:
        """Return, by number of fact, the number of its predicate, and of its first and last object.

        Objects are below 0 where there are none.
        """
        if self._columns is None:
            rows = np.array(self._rows, np.int64).reshape(len(self._rows), 3)
            self._columns = rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy()
        return self._columns


class ObjectLists(dict[tuple[TypedName, ...], int]):
    """Numbers of lists of objects, by list: a new one gets the next."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.lists: list[tuple[TypedName, ...]] = []

    def __missing__(self, objects: tuple[TypedName, ...]) -> int:
        """Give a list its number."""
        self[objects] = len(self.lists)
        self.lists.append(objects)
        return self[objects]
