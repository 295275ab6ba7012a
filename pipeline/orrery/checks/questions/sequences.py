"""Sequences of actions and plans with steps taken out, by execution on sets of facts alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.model import Domain, Problem, Step
from orrery.semantics.execution import applicable, check_plan, progress

PLAN, APPLICABLE, INAPPLICABLE, INVALID = VERDICTS = ("plan", "applicable", "inapplicable", "invalid")


def first_failing(domain: Domain, problem: Problem, steps: Sequence[Step]) -> int | None:
    """Return the index of the first well-typed step that is inapplicable in its turn, or None."""
    state = problem.init
    for index, step in enumerate(steps):
        if not applicable(domain, state, step):
            return index
        state = progress(domain, state, step)
    return None


def verdict(domain: Domain, problem: Problem, steps: Sequence[Step]) -> str:
    """Return which of ``VERDICTS`` is true of a sequence.

    Its steps are ground actions or have unknown names.
    """
    if any(step[0] not in domain.action_named for step in steps):
        return INVALID
    if first_failing(domain, problem, steps) is not None:
        return INAPPLICABLE
    return PLAN if check_plan(domain, problem, steps).valid else APPLICABLE


def statics_hold(domain: Domain, problem: Problem, step: Step) -> bool:
    """Return whether all static preconditions of ``step`` hold."""
    action = domain.action_named[step[0]]
    values = dict(zip((parameter.name for parameter in action.parameters), step[1:], strict=True))
    static = [p for p in action.preconditions if p.atom[0] not in domain.fluents]
    atoms = [(p.atom[0], *(values.get(name, name) for name in p.atom[1:])) for p in static]
    return all(p._replace(atom=atom).holds(problem.init) for p, atom in zip(static, atoms, strict=True))


def without(plan: Sequence[Step], start: int, width: int) -> tuple[Step, ...]:
    """Return the plan without ``width`` steps from ``start`` on."""
    return (*plan[:start], *plan[start + width :])


def superfluous(domain: Domain, problem: Problem, plan: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """Yield (start, width) of each step, and each two consecutive ones, that the plan stays valid without."""
    for width in (1, 2):
        for start in range(len(plan) - width + 1):
            if check_plan(domain, problem, without(plan, start, width)).valid:
                yield start, width


def occurrences(plan: Sequence[Step], part: Sequence[Step]) -> list[int]:
    """Return the positions in the plan where the steps of ``part`` occur consecutively."""
    width = len(part)
    return [i for i in range(len(plan) - width + 1) if tuple(plan[i : i + width]) == tuple(part)]
