"""What steps cost: by their action, and more for some of the objects that they name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from orrery.model import Step

NOTHING: Mapping[str, int] = MappingProxyType({})


class Prices(NamedTuple):
    """Costs by action, those added for objects, and what every step costs besides."""

    actions: Mapping[str, int]
    objects: Mapping[str, int] = NOTHING
    each: int = 0

    def of(self, step: Step) -> int:
        """Return what a step costs."""
        added = [cost for name, cost in self.objects.items() if name in step[1:]]
        return self.actions[step[0]] + sum(added) + self.each
