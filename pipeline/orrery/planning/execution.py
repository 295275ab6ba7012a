"""Execute steps on sets of facts directly by the action schemas, without grounding.

It shares no code with ``grounding`` and ``task``, so it verifies their results independently. A step whose
cost is a function without a value in the problem is not applicable (PDDL 2.1, section 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from orrery.model import Action, Atom, Domain, Literal, Problem, State, Step

Types: TypeAlias = Mapping[str, tuple[str, ...]]  # by the name of an object


@dataclass(frozen=True, slots=True)
class PlanVerdict:
    """Whether a plan is valid; otherwise the index of the first bad step (or None) and the reason."""

    valid: bool
    failed_at: int | None = None
    reason: str = ""


def substituted(atom: Atom, values: Mapping[str, str]) -> Atom:
    """Return an atom with objects in place of the variables that have values."""
    return (atom[0], *(values.get(argument, argument) for argument in atom[1:]))


def _values(action: Action, step: Step) -> dict[str, str]:
    return dict(zip((parameter.name for parameter in action.parameters), step[1:], strict=True))


def _cost_function(domain: Domain, step: Step) -> Atom | None:
    """Return the function that a well-typed ``step`` adds to the total cost; None for a number or no cost."""
    action = domain.action_named[step[0]]
    return substituted(action.cost, _values(action, step)) if isinstance(action.cost, tuple) else None


def mistyped(domain: Domain, problem: Problem, step: Step) -> str:
    """Return why ``step`` is not a ground action of the problem; empty if it is one."""
    return _misfit(domain, types_of_objects(domain, problem), step)


def types_of_objects(domain: Domain, problem: Problem) -> Types:
    """Return the types of every object and constant."""
    return {typed.name: typed.types for typed in (*domain.constants, *problem.objects)}


def _misfit(domain: Domain, types: Types, step: Step) -> str:
    action = domain.action_named.get(step[0]) if step else None
    if action is None:
        return f"the domain has no action '{' '.join(step[:1])}'"
    if len(step) - 1 != len(action.parameters):
        return f"'{step[0]}' takes {len(action.parameters)} arguments, found {len(step) - 1}"
    for name, parameter in zip(step[1:], action.parameters, strict=True):
        if name not in types:
            return f"the problem has no object '{name}'"
        if not domain.fits(types[name], parameter.types):
            return f"'{name}' does not fit parameter {parameter.name} of '{step[0]}'"
    return ""


def applicable(domain: Domain, state: State, step: Step) -> bool:
    """Return whether all preconditions of a well-typed ``step`` hold in ``state``."""
    return not unmet_preconditions(domain, state, step)


def unmet_preconditions(domain: Domain, state: State, step: Step) -> list[Literal]:
    """Return the preconditions of a well-typed ``step`` that do not hold in ``state``."""
    action = domain.action_named[step[0]]
    values = _values(action, step)
    literals = [Literal(substituted(atom, values), positive) for atom, positive in action.preconditions]
    return [literal for literal in literals if not literal.holds(state)]


def progress(domain: Domain, state: State, step: Step) -> State:
    """Return the successor state after ``step``: first deletes, then adds."""
    action = domain.action_named[step[0]]
    values = _values(action, step)
    deleted = {substituted(atom, values) for atom in action.delete}
    return (state - deleted) | {substituted(atom, values) for atom in action.add}


def execute(domain: Domain, problem: Problem, steps: Iterable[Step]) -> tuple[list[State], str]:
    """Return the states from the initial one on, and why the next step is not applicable.

    The reason is empty if all steps are executed.
    """
    states, types = [problem.init], types_of_objects(domain, problem)
    valued = frozenset(term for term, _ in problem.costs)
    for step in steps:
        if reason := _misfit(domain, types, step):
            return states, reason
        if not applicable(domain, states[-1], step):
            return states, f"'{' '.join(step)}' is not applicable"
        if (cost := _cost_function(domain, step)) is not None and cost not in valued:
            return states, f"the cost of '{' '.join(step)}', '{' '.join(cost)}', has no value"
        states.append(progress(domain, states[-1], step))
    return states, ""


def check_plan(domain: Domain, problem: Problem, steps: Iterable[Step]) -> PlanVerdict:
    """Return whether ``steps`` lead from the initial state to the goal."""
    states, reason = execute(domain, problem, steps)
    if reason:
        return PlanVerdict(False, len(states) - 1, reason)
    if not problem.satisfied(states[-1]):
        return PlanVerdict(False, None, "the goal does not hold")
    return PlanVerdict(True)
