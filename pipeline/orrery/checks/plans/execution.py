"""Steps carried out on sets of facts alone: what fails, what changes nothing, which parts of a plan do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from orrery.model import Domain, Literal, Problem, State, Step
from orrery.semantics.execution import applicable, check_plan, progress


class Run(NamedTuple):
    """The states that steps lead through, and the index of the first that is not applicable, if any."""

    states: list[State]
    failed: int | None

    @property
    def last(self) -> State:
        """The state after the last step that is applicable."""
        return self.states[-1]


def carried_out(domain: Domain, init: State, steps: Sequence[Step]) -> Run:
    """Return the states from ``init`` on, as far as the well-typed ``steps`` are applicable."""
    states = [init]
    for index, step in enumerate(steps):
        if not applicable(domain, states[-1], step):
            return Run(states, index)
        states.append(progress(domain, states[-1], step))
    return Run(states, None)


def idle(domain: Domain, init: State, steps: Sequence[Step]) -> list[str]:
    """Return the steps, as far as they are applicable, that change nothing."""
    states = carried_out(domain, init, steps).states
    return [
        f"step {number} changes nothing"
        for number, (before, after) in enumerate(pairwise(states), 1)
        if before == after
    ]


def solves(domain: Domain, problem: Problem, steps: Sequence[Step]) -> bool:
    """Return whether the steps are a plan."""
    return check_plan(domain, problem, steps).valid


def plan_faults(domain: Domain, problem: Problem, steps: Sequence[Step], what: str = "the plan") -> list[str]:
    """Return why the steps are no plan, or which of them change nothing."""
    verdict = check_plan(domain, problem, steps)
    if not verdict.valid:
        return [f"{what} is not valid: {verdict.reason}"]
    return [f"{what}: {fault}" for fault in idle(domain, problem.init, steps)]


def conditions(domain: Domain, step: Step) -> list[Literal]:
    """Return the preconditions of a well-typed step, sorted, positive ones first."""
    return _instances(domain, step, sorted(domain.action_named[step[0]].preconditions, key=_positive_first))


def added(domain: Domain, step: Step) -> set[tuple[str, ...]]:
    """Return the facts that a well-typed step makes true."""
    action = domain.action_named[step[0]]
    return {each.atom for each in _instances(domain, step, [Literal(atom) for atom in action.add])}


def lacking(literals: Sequence[Literal], state: State) -> list[Literal]:
    """Return the literals that do not hold in a state, sorted, positive ones first."""
    return sorted({each for each in literals if not each.holds(state)}, key=_positive_first)


def _positive_first(literal: Literal) -> tuple[object, ...]:
    return (not literal.positive, literal.atom)


def _instances(domain: Domain, step: Step, lifted: Sequence[Literal]) -> list[Literal]:
    parameters = domain.action_named[step[0]].parameters
    values = {typed.name: name for typed, name in zip(parameters, step[1:], strict=True)}
    return [
        Literal((each.atom[0], *(values.get(name, name) for name in each.atom[1:])), each.positive)
        for each in lifted
    ]
