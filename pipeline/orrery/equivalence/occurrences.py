"""Interchangeable objects: exchanging two of them maps given sets of facts onto themselves.

Exchanges compose, so interchangeable objects form classes, and every permutation within a class is a
symmetry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from orrery.model import Atom


class Occurrences:
    """The facts and actions of some layers, by the objects in them."""

    def __init__(self, layers: Mapping[str, Collection[Atom]]) -> None:
        """Index each layer by object."""
        self._places: dict[str, set[tuple[str, Atom]]] = defaultdict(set)
        for layer, atoms in layers.items():
            for atom in atoms:
                for name in atom[1:]:
                    self._places[name].add((layer, atom))

    @property
    def objects(self) -> frozenset[str]:
        """The objects that occur."""
        return frozenset(self._places)

    def keeps(self, first: str, second: str) -> bool:
        """Return whether exchanging the two objects maps each layer onto itself."""
        places = self._places.get(first, set()) | self._places.get(second, set())
        swap = {first: second, second: first}
        return all(
            (layer, (atom[0], *[swap.get(name, name) for name in atom[1:]])) in places
            for layer, atom in places
        )
