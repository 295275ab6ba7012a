"""Plan transfer between a predicted domain and the gold: solved problems, and plans valid in both.

The published evaluation uses a breadth-first search of 30 seconds. Its "unsolved" does not distinguish no
plan, no time and a parse error, and a plan counts as exact if it is a prefix. Here every verdict has its
proof and its own name, and plans are compared as a whole. *Plan transfer* is whether a found plan is also a
plan under gold (otherwise the domain allows a shortcut), and whether the gold plan is a plan under the
prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial
from typing import Any

from orrery.model import Step
from orrery.pddl.adl import AdlDomain
from orrery.pddl.read import PddlError
from orrery.pddl.write import parse_atom, write_atom
from orrery.planning.adl_domain import ExecutableDomain, SearchLimits, executable_domain
from orrery.planning.adl_execution import Outside
from orrery.planning.outcome import PlannerResult
from orrery.scoring.domains.alignment import Alignment


class Solving(StrEnum):
    """The outcome of solving a gold problem with a predicted domain."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    UNDECIDED = "undecided"
    DOMAIN_UNREADABLE = "domain unreadable"
    PROBLEM_UNREADABLE = "problem does not fit the domain"
    OUTSIDE = "outside subset"


@dataclass(frozen=True, slots=True)
class GoldProblem:
    """A decided problem of the gold domain: with a plan, or proven unsolvable."""

    name: str
    pddl: str
    solvable: bool
    plan: tuple[Step, ...] = ()

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> GoldProblem:
        """Return the problem in a record of the column ``problems``."""
        steps = tuple(parse_atom(step) for step in row["plan"])
        return cls(row["name"], row["pddl"], bool(row["solvable"]), steps)


@dataclass(frozen=True, slots=True)
class Solved:
    """The result of one gold problem under a predicted domain.

    ``plan`` uses the predicted actions. ``exact``: it equals, step by step, the gold plan or the plan of the
    same search with the gold domain. ``forward``: it is a plan under gold. ``backward``: the gold plan is a
    plan under the prediction. None: not applicable or undecided.
    """

    problem: str
    solvable: bool
    outcome: Solving
    plan: tuple[str, ...] = ()
    exact: bool | None = None
    forward: bool | None = None
    backward: bool | None = None
    detail: str = ""


def solve_problems(
    predicted: str,
    gold: str,
    problems: Sequence[GoldProblem],
    steps: PlanTranslation,
    limits: SearchLimits | None = None,
) -> tuple[Solved, ...]:
    """Return the result of each gold problem under the domain ``predicted`` (its text).

    ``steps`` translates steps of actions whose parameters have another order.
    """
    mine, judge = _opened(predicted), _opened(gold)
    if isinstance(mine, str):
        return tuple(Solved(p.name, p.solvable, Solving.DOMAIN_UNREADABLE, detail=mine) for p in problems)
    opened = None if isinstance(judge, str) else judge
    return tuple(_solved(mine, opened, problem, steps, limits or SearchLimits()) for problem in problems)


def _opened(text: str) -> ExecutableDomain | str:
    """Return the executable domain of a text, or an error message."""
    try:
        return executable_domain(text)
    except PddlError as error:
        return str(error)


def _solved(
    mine: ExecutableDomain,
    gold: ExecutableDomain | None,
    problem: GoldProblem,
    steps: PlanTranslation,
    limits: SearchLimits,
) -> Solved:
    outcome_of = partial(Solved, problem.name, problem.solvable)
    try:
        answer = _answer(mine, problem.pddl, limits)
    except PddlError as error:
        return outcome_of(Solving.PROBLEM_UNREADABLE, detail=str(error))
    except Outside as error:
        return outcome_of(Solving.OUTSIDE, detail=str(error))
    backward = _valid(mine, problem, steps.to_predicted(problem.plan)) if problem.solvable else None
    if answer.plan is None and answer.solvable is False:
        return outcome_of(Solving.UNSOLVABLE, backward=backward, detail=answer.detail)
    if answer.plan is None:
        detail = f"{answer.outcome}: {answer.detail}"
        return outcome_of(Solving.UNDECIDED, backward=backward, detail=detail)
    return outcome_of(
        Solving.SOLVED,
        tuple(map(write_atom, answer.plan.steps)),
        _exact(answer.plan.steps, gold, problem, steps, limits),
        _valid(gold, problem, steps.to_gold(answer.plan.steps)),
        backward,
        answer.plan.planner,
    )


def _exact(
    plan: Sequence[Step],
    gold: ExecutableDomain | None,
    problem: GoldProblem,
    steps: PlanTranslation,
    limits: SearchLimits,
) -> bool | None:
    """Return whether the plan equals the gold plan, or the plan of the same search with the gold domain.

    Return None if that search is undecided. A problem that is unsolvable under gold has no such plan.
    """
    translated = steps.to_gold(plan)
    if problem.plan in translated:
        return True
    if not problem.solvable:
        return False
    if gold is None:
        return None
    try:
        again = _answer(gold, problem.pddl, limits)
    except (PddlError, Outside):
        return None
    return again.plan.steps in translated if again.plan is not None else again.solvable


@lru_cache(maxsize=256)
def _answer(domain: ExecutableDomain, problem: str, limits: SearchLimits) -> PlannerResult:
    """Return the planner's result on a problem, cached for repeated use with the gold domain."""
    return domain.solve(problem, limits)


def _valid(
    domain: ExecutableDomain | None, problem: GoldProblem, spellings: Sequence[tuple[Step, ...]]
) -> bool | None:
    """Return whether one of the spellings of a plan is a plan in ``domain``; None if undecided."""
    if domain is None:
        return None
    try:
        return any(domain.check(problem.pddl, steps).valid for steps in spellings)
    except (PddlError, Outside):
        return None


class PlanTranslation:
    """Translates steps between the actions of two domains: unchanged, and by matched parameters.

    Both variants are tried, because a bijection between wrong actions may match unrelated parameters.
    """

    def __init__(self, predicted: AdlDomain, gold: AdlDomain, alignments: Mapping[str, Alignment]) -> None:
        """Prepare the translation from actions aligned by name."""
        self._to_gold: dict[str, list[int | None]] = {}
        self._to_predicted: dict[str, list[int | None]] = {}
        for name, alignment in alignments.items():
            mine, theirs = (
                {typed.name: place for place, typed in enumerate(domain.action_named[name].parameters)}
                for domain in (predicted, gold)
            )
            back = {to: parameter for parameter, to in alignment.mapping.items()}
            self._to_gold[name] = [mine.get(alignment.mapping.get(p, "")) for p in theirs]
            self._to_predicted[name] = [theirs.get(back.get(p, "")) for p in mine]

    def to_gold(self, steps: Sequence[Step]) -> list[tuple[Step, ...]]:
        """Return the spellings of a predicted plan under gold."""
        return _spellings(steps, self._to_gold)

    def to_predicted(self, steps: Sequence[Step]) -> list[tuple[Step, ...]]:
        """Return the spellings of a gold plan under the prediction."""
        return _spellings(steps, self._to_predicted)


def _spellings(steps: Sequence[Step], places: Mapping[str, Sequence[int | None]]) -> list[tuple[Step, ...]]:
    """Return the steps unchanged, and with permuted arguments if each has a position."""
    moved = [_moved(step, places.get(step[0])) for step in steps]
    spellings = [tuple(steps)]
    if None not in moved and (again := tuple(step for step in moved if step)) != spellings[0]:
        spellings.append(again)
    return spellings


def _moved(step: Step, places: Sequence[int | None] | None) -> Step | None:
    if places is None or any(place is None or place + 1 >= len(step) for place in places):
        return None
    return (step[0], *(step[place + 1] for place in places if place is not None))
