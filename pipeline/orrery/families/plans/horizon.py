"""Bounds on the number of steps of a shortest plan, and how each is known."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from orrery.config import BANDS
from orrery.store.kinds import INT, STRING, column

SEARCH, CLOSED_FORM, LANDMARKS, BY_PLAN = "search", "closed_form", "landmarks", "plan"
_BOUNDS = pa.struct([
    pa.field(name, kind, nullable=False)
    for name, kind in (("lower", INT), ("upper", INT), ("lower_proof", STRING), ("upper_proof", STRING))
])  # fmt: skip
HORIZON = column(
    "horizon",
    _BOUNDS,
    "Bounds on the number of actions of a shortest plan for problem_pddl. `lower_proof`: `search`, "
    "`closed_form` (counted by the generator's `fewest_steps`) or `landmarks` (counted without common "
    "achievers). `upper_proof`: `search`, or `plan` (a stored plan is as long). Null where no plan is known",
    nullable=True,
)


class Horizon(NamedTuple):
    """Bounds on the number of steps of a shortest plan, with their proofs."""

    lower: int
    upper: int
    lower_proof: str
    upper_proof: str

    @property
    def h_star(self) -> int | None:
        """The number of steps of a shortest plan, if the bounds meet."""
        return self.lower if self.lower == self.upper else None

    @property
    def band(self) -> int | None:
        """The band that contains both bounds, or None."""
        least = 0
        for most in BANDS:
            if least < self.lower and self.upper <= most:
                return most
            least = most
        return None


def searched(h_star: int) -> Horizon:
    """Return the bounds of a problem whose shortest plans are known by search."""
    return Horizon(h_star, h_star, SEARCH, SEARCH)
