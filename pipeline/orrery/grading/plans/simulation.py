"""Simulate steps from the initial state: find the step that fails, or the missing goal literals."""

from __future__ import annotations

from collections.abc import Iterable

from ..pddl import Schema, conditions_of
from ..problem import GradedProblem, ground, holds, written
from ..row import Atom


def fault_in(problem: GradedProblem, plan: Iterable[tuple[Atom, int]]) -> str:
    """Return why numbered steps are not a plan; empty if they are one. Numbers are those of lines.

    A fact that a step both deletes and adds is true afterwards.

    Raises:
        UngradedConstruct: the domain or the problem has a construct that is not executed here.
    """
    steps, state, goal, schemas = list(plan), set(problem.start), problem.goal, problem.domain.actions
    for step, line in steps:
        if mistake := _mistake_of(problem, schemas.get(step[0]), step):
            return f"line {line}: {written((step, True))}: {mistake}"
    for number, (step, _) in enumerate(steps, 1):
        action = ground(schemas[step[0]], step)
        if unmet := [literal for literal in action.needs if not holds(literal, state)]:
            first = min(unmet, key=lambda literal: (not literal[1], literal[0]))
            return f"step {number} {written((step, True))} fails: {written(first)} does not hold"
        state -= action.deletes
        state |= action.adds
    missing = [written(literal) for literal in goal if not holds(literal, state)]
    return f"the goal is not reached: {missing[0]} does not hold" if missing else ""


def _mistake_of(problem: GradedProblem, schema: Schema | None, step: Atom) -> str:
    """Return why ``step`` is not an action on objects of the problem; empty if it is one."""
    if schema is None:
        return f"there is no action {step[0]!r}"
    return problem.misfit(schema.types, step[1:])


def static_fault_of(problem: GradedProblem, step: Atom) -> str:
    """Return why types, static facts or (in)equalities rule out a step; empty if they do not.

    Raises:
        UngradedConstruct: the precondition of the step, or a section of the PDDL, is outside the subset.
    """
    domain = problem.domain
    schema = conditions_of(domain, step[0]) if step[0] in domain.definitions else None
    mistake = _mistake_of(problem, schema, step)
    if schema is None or mistake:
        return mistake
    unmet = (literal for literal in ground(schema, step).needs if not holds(literal, problem.start))
    static = sorted((fact, positive) for fact, positive in unmet if fact[0] not in domain.fluents)
    return f"{written((static[0][0], True))} {'never' if static[0][1] else 'always'} holds" if static else ""
