"""Sequences of actions and plans with steps taken out, by execution on sets of facts alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.model import Domain, Problem, Step
from orrery.semantics.execution import applicable, check_plan, mistyped, progress

PLAN, APPLICABLE, INAPPLICABLE, INVALID = VERDICTS = ("plan", "applicable", "inapplicable", "invalid")


def first_failing(domain: Domain, problem: Problem, steps: Sequence[Step]) -> int | None:
    """The index of the first well-typed step that is not applicable in its turn; None where all are."""
    state = problem.init
    for index, step in enumerate(steps):
        if not applicable(domain, state, step):
            return index
        state = progress(domain, state, step)
    return None


def ill_typed(domain: Domain, problem: Problem, steps: Sequence[Step]) -> list[str]:
    """What is wrong with steps that are no ground actions of the problem."""
    return [fault for step in steps if (fault := mistyped(domain, problem, step))]


def verdict(domain: Domain, problem: Problem, steps: Sequence[Step]) -> str:
    """Which of ``VERDICTS`` is true of a sequence whose steps are ground actions or have foreign names."""
    if any(step[0] not in domain.action_named for step in steps):
        return INVALID
    if first_failing(domain, problem, steps) is not None:
        return INAPPLICABLE
    return PLAN if check_plan(domain, problem, steps).valid else APPLICABLE


def statics_hold(domain: Domain, problem: Problem, step: Step) -> bool:
    """Whether all preconditions of ``step`` that no action changes hold: it is a step that might be."""
    action = domain.action_named[step[0]]
    values = dict(zip((parameter.name for parameter in action.parameters), step[1:], strict=True))
    static = [p for p in action.preconditions if p.atom[0] not in domain.fluents]
    atoms = [(p.atom[0], *(values.get(name, name) for name in p.atom[1:])) for p in static]
    return all(p._replace(atom=atom).holds(problem.init) for p, atom in zip(static, atoms, strict=True))


def without(plan: Sequence[Step], start: int, width: int) -> tuple[Step, ...]:
    """The plan without ``width`` steps from ``start`` on."""
    return (*plan[:start], *plan[start + width :])


def superfluous(domain: Domain, problem: Problem, plan: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """(start, width) of every step and every two consecutive ones without which the plan stays valid."""
    for width in (1, 2):
        for start in range(len(plan) - width + 1):
            if check_plan(domain, problem, without(plan, start, width)).valid:
                yield start, width


def occurrences(plan: Sequence[Step], part: Sequence[Step]) -> list[int]:
    """Where in the plan the steps of ``part`` stand one behind the other."""
    width = len(part)
    return [i for i in range(len(plan) - width + 1) if tuple(plan[i : i + width]) == tuple(part)]
