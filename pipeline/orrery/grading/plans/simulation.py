"""Simulate steps from the initial state: find the step that fails, or the missing goal literals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..atoms import Atom
from ..pddl import EQUAL, GradedProblem


@dataclass(frozen=True, slots=True)
class _Step:
    """A ground action; ``broken`` is a violated equality condition, if there is one."""

    needs: frozenset[Atom]
    needs_not: frozenset[Atom]
    adds: frozenset[Atom]
    deletes: frozenset[Atom]
    broken: str


def mistake_of(problem: GradedProblem, step: Atom) -> str:
    """Return why ``step`` is not an action on objects of the problem; empty if it is one."""
    schema = problem.domain.actions.get(step[0])
    if schema is None:
        return f"there is no action {step[0]!r}"
    return problem.misfit(schema.types, step[1:])


def fault_in(problem: GradedProblem, plan: Iterable[tuple[Atom, int]]) -> str:
    """Return why numbered steps are not a plan; empty if they are one. Numbers are those of lines."""
    steps, grounded_steps = [], set()
    for step, line in plan:
        if step not in grounded_steps:
            mistake = mistake_of(problem, step)
            if mistake:
                return f"line {line}: {_written(step)}: {mistake}"
            grounded_steps.add(step)
        steps.append(step)
    return fault_of(problem, steps)


def fault_of(problem: GradedProblem, plan: Iterable[Atom]) -> str:
    """Return why valid steps are not a plan for the problem; empty if they are one.

    A fact that a step both deletes and adds is true afterwards.
    """
    state = set(problem.init)
    grounded_steps: dict[Atom, _Step] = {}
    for number, step in enumerate(plan, 1):
        ground = grounded_steps.get(step)
        if ground is None:
            ground = grounded_steps[step] = _grounded(problem, step)
        if ground.broken or not ground.needs <= state or not ground.needs_not.isdisjoint(state):
            return f"step {number} {_written(step)} fails: {_unmet(ground, state)} does not hold"
        state -= ground.deletes
        state |= ground.adds
    missing = [literal for literal in problem.goal if _holds(literal[0], state) != literal[1]]
    return f"the goal is not reached: {_literal(*missing[0])} does not hold" if missing else ""


def _grounded(problem: GradedProblem, step: Atom) -> _Step:
    schema = problem.domain.actions[step[0]]
    values = (*step[1:], *schema.constants)
    needs, needs_not, adds, deletes = (
        frozenset([fact(values) for fact in facts])
        for facts in (schema.needs, schema.needs_not, schema.adds, schema.deletes)
    )
    if EQUAL not in schema.constants:
        return _Step(needs, needs_not, adds, deletes, "")
    equal = [(fact, True) for fact in needs if fact[0] == EQUAL]
    equal += [(fact, False) for fact in needs_not if fact[0] == EQUAL]
    broken = next((_literal(*pair) for pair in equal if _holds(pair[0], set()) != pair[1]), "")
    others, others_not = (
        frozenset(fact for fact in facts if fact[0] != EQUAL) for facts in (needs, needs_not)
    )
    return _Step(others, others_not, adds, deletes, broken)


def _holds(atom: Atom, state: set[Atom]) -> bool:
    return atom in state or (atom[0] == EQUAL and len(set(atom[1:])) == 1)


def _unmet(ground: _Step, state: set[Atom]) -> str:
    """Return the first condition, in alphabetical order, that ``state`` violates."""
    unmet = [_literal(fact, True) for fact in sorted(ground.needs - state)]
    unmet += [_literal(fact, False) for fact in sorted(ground.needs_not & state)]
    return ground.broken or unmet[0]


def _literal(atom: Atom, positive: bool) -> str:
    return _written(atom) if positive else f"(not {_written(atom)})"


def _written(atom: Atom) -> str:
    return f"({' '.join(atom)})"
