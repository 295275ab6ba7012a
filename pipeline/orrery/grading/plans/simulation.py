"""Simulate steps from the initial state: find the step that fails, or the missing goal literals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..pddl import GradedProblem, Schema, conditions_of
from ..row import Atom


class _Step(NamedTuple):
    """A ground action."""

    needs: frozenset[Atom]
    needs_not: frozenset[Atom]
    adds: frozenset[Atom]
    deletes: frozenset[Atom]


def fault_in(problem: GradedProblem, plan: Iterable[tuple[Atom, int]]) -> str:
    """Return why numbered steps are not a plan; empty if they are one. Numbers are those of lines.

    A fact that a step both deletes and adds is true afterwards.

    Raises:
        UngradedConstruct: the domain or the problem has a construct that is not executed here.
    """
    steps, state, goal, schemas = list(plan), set(problem.start), problem.goal, problem.domain.actions
    grounded_steps: dict[Atom, _Step] = {}
    for step, line in steps:
        if step not in grounded_steps:
            if mistake := _mistake_of(problem, schemas.get(step[0]), step):
                return f"line {line}: {_written(step)}: {mistake}"
            grounded_steps[step] = _grounded(problem, step)
    for number, (step, _) in enumerate(steps, 1):
        ground = grounded_steps[step]
        if not ground.needs <= state or not ground.needs_not.isdisjoint(state):
            unmet = [_literal(fact, True) for fact in sorted(ground.needs - state)]
            unmet += [_literal(fact, False) for fact in sorted(ground.needs_not & state)]
            return f"step {number} {_written(step)} fails: {unmet[0]} does not hold"
        state -= ground.deletes
        state |= ground.adds
    missing = [_literal(*literal) for literal in goal if (literal[0] in state) != literal[1]]
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
    ground = _ground_step(schema, step)
    wrong = [(fact, "never") for fact in ground.needs - problem.start]
    wrong += [(fact, "always") for fact in ground.needs_not & problem.start]
    static = sorted(pair for pair in wrong if pair[0][0] not in problem.domain.fluents)
    return f"{_written(static[0][0])} {static[0][1]} holds" if static else ""


def _grounded(problem: GradedProblem, step: Atom) -> _Step:
    return _ground_step(problem.domain.actions[step[0]], step)


def _ground_step(schema: Schema, step: Atom) -> _Step:
    values = (*step[1:], *schema.constants)
    return _Step(*(frozenset([fact(values) for fact in facts]) for facts in schema.atoms))


def _literal(atom: Atom, positive: bool) -> str:
    return _written(atom) if positive else f"(not {_written(atom)})"


def _written(atom: Atom) -> str:
    return f"({' '.join(atom)})"
