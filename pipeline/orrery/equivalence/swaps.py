"""Whether two objects can change places without changing a set of facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from orrery.model import Atom

Tagged = tuple[str, Atom]


class Occurrences:
    """The facts of some layers by the objects that they name."""

    def __init__(self, layers: Mapping[str, Collection[Atom]]) -> None:
        """Look the facts of each layer up by what they name."""
        self._facts: dict[str, set[Tagged]] = defaultdict(set)
        for layer, facts in layers.items():
            for fact in facts:
                for name in fact[1:]:
                    self._facts[name].add((layer, fact))

    @property
    def objects(self) -> frozenset[str]:
        """The objects that are named."""
        return frozenset(self._facts)

    def keeps(self, first: str, second: str) -> bool:
        """Return whether exchanging the two objects maps the facts of each layer onto themselves."""
        facts = self._facts.get(first, set()) | self._facts.get(second, set())
        swap = {first: second, second: first}
        return all(
            (layer, (fact[0], *[swap.get(name, name) for name in fact[1:]])) in facts for layer, fact in facts
        )
