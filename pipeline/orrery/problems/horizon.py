"""Bounds on the number of steps of a shortest plan, and how each is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa

from orrery.catalog import Entry
from orrery.config import BANDS
from orrery.model import Problem, Row
from orrery.planning.grounding import Grounder
from orrery.planning.landmarks import landmark_bound
from orrery.planning.task import PlanningTask
from orrery.planning.universe import most_steps
from orrery.store.kinds import INT, STRING, column

SEARCH, CLOSED_FORM, LANDMARKS, BY_PLAN = "search", "closed_form", "landmarks", "plan"
MOST_STEPS = 5_000  # problems with more possible actions are not grounded for a bound; 10 us per action
_BOUNDS = pa.struct([
    pa.field(name, kind, nullable=False)
    for name, kind in (("lower", INT), ("upper", INT), ("lower_proof", STRING), ("upper_proof", STRING))
])  # fmt: skip
HORIZON = column(
    "horizon",
    _BOUNDS,
    "Bounds on the number of actions of a shortest plan for problem_pddl. `lower_proof`: `search`, "
    "`closed_form` (counted by the generator's `fewest_steps`) or `landmarks` (counted without common "
    "achievers). `upper_proof`: `search`, or `plan` (a stored plan is as long). Null where no plan or no "
    "lower bound is known",
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


def shortest_length(horizon: Row | None) -> int | None:
    """Return the number of steps of a shortest plan, if stored bounds meet."""
    return Horizon(**horizon).h_star if horizon else None


def fewest_steps(entry: Entry, problem: Problem, ground: Callable[[], PlanningTask]) -> tuple[int, str]:
    """Return a lower bound on the number of steps of every plan, with its proof.

    ``ground`` returns the task of the problem. It is called if the generator has no closed form.
    """
    counted = entry.fewest_steps(problem)
    return (landmark_bound(ground()), LANDMARKS) if counted is None else (counted, CLOSED_FORM)


def horizon_of(
    entry: Entry, grounder: Grounder, problem: Problem, solution: Row, task: PlanningTask | None = None
) -> Row | None:
    """Return the bounds of a problem with its row of solutions; ``task`` is its ground task, if known.

    The result is None if no plan is known, or if there is no closed form and the problem is too large and was
    not grounded to solve it.
    """
    length = solution["plan_cost"]
    if length is None or solution["optimal"]:
        return None if length is None else searched(length)._asdict()
    is_large = solution["num_facts"] is None and most_steps(grounder.domain, problem) > MOST_STEPS
    if is_large and entry.fewest_steps(problem) is None:
        return None
    lower, proof = fewest_steps(entry, problem, lambda: task or grounder.ground(problem))
    return Horizon(lower, length, proof, BY_PLAN)._asdict()
