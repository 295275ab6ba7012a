"""Execute steps on sets of facts directly from the action schemas; written for the checks.

The module shares no code with the executions that made the rows. Steps are well-typed ground actions, except
where a function states otherwise. A step whose cost is a function without a value in the problem is not
applicable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from orrery.model import Atom, Domain, Literal, Problem, State, Step

VERDICTS = ("plan", "applicable", "inapplicable", "invalid")
PLAN, APPLICABLE, INAPPLICABLE, INVALID = VERDICTS


class Trajectory(NamedTuple):
    """The states along a sequence of steps, and the index of the first inapplicable step, if any."""

    states: list[State]
    failed: int | None

    @property
    def last(self) -> State:
        """The state after the last applicable step."""
        return self.states[-1]


def preconditions(domain: Domain, step: Step) -> list[Literal]:
    """Return the preconditions of a step, sorted, positive ones first."""
    return sorted(_ground(domain, step, domain.action_named[step[0]].preconditions), key=positive_first)


def added_facts(domain: Domain, step: Step) -> set[Atom]:
    """Return the facts that a step makes true."""
    return ground_atoms(domain, step, domain.action_named[step[0]].add)


def deleted_facts(domain: Domain, step: Step) -> set[Atom]:
    """Return the facts that a step makes false, unless it adds them as well."""
    return ground_atoms(domain, step, domain.action_named[step[0]].delete)


def applicable(domain: Domain, state: State, step: Step) -> bool:
    """Return whether all preconditions of a step hold in a state."""
    return all(
        literal.holds(state) for literal in _ground(domain, step, domain.action_named[step[0]].preconditions)
    )


def successor(domain: Domain, state: State, step: Step) -> State:
    """Return the state after a step: apply the delete effects, then the add effects."""
    return (state - deleted_facts(domain, step)) | added_facts(domain, step)


def has_cost(domain: Domain, problem: Problem, step: Step) -> bool:
    """Return whether the cost of a step is defined: it is no function, or one with a value in the problem."""
    cost = domain.action_named[step[0]].cost
    if not isinstance(cost, tuple):
        return True
    functions = ground_atoms(domain, step, [cost])
    return any(function in functions for function, _ in problem.costs)


def execute(domain: Domain, problem: Problem, steps: Sequence[Step]) -> Trajectory:
    """Return the states from the initial one on, up to the first inapplicable step."""
    states = [problem.init]
    for index, step in enumerate(steps):
        if not applicable(domain, states[-1], step) or not has_cost(domain, problem, step):
            return Trajectory(states, index)
        states.append(successor(domain, states[-1], step))
    return Trajectory(states, None)


def ill_typed(domain: Domain, problem: Problem, steps: Sequence[Step]) -> list[str]:
    """Return a message for each step that is not a ground action of the problem."""
    types = {typed.name: typed.types for typed in (*domain.constants, *problem.objects)}
    faults = []
    for step in steps:
        action = domain.action_named.get(step[0]) if step else None
        if action is None:
            faults.append(f"the domain has no action '{' '.join(step[:1])}'")
        elif len(step) - 1 != len(action.parameters):
            faults.append(f"'{step[0]}' takes {len(action.parameters)} arguments, found {len(step) - 1}")
        else:
            faults += [
                f"'{name}' is no object that fits {parameter.name} of '{step[0]}'"
                for name, parameter in zip(step[1:], action.parameters, strict=True)
                if name not in types or not domain.fits(types[name], parameter.types)
            ]
    return faults


def fault_of_plan(domain: Domain, problem: Problem, steps: Sequence[Step]) -> str:
    """Return why steps, well-typed or not, are not a plan of the problem; the empty string if they are."""
    if faults := ill_typed(domain, problem, steps):
        return faults[0]
    trajectory = execute(domain, problem, steps)
    if trajectory.failed is not None:
        return f"'{' '.join(steps[trajectory.failed])}' is not applicable"
    return "" if problem.satisfied(trajectory.last) else "the goal does not hold"


def is_plan(domain: Domain, problem: Problem, steps: Sequence[Step]) -> bool:
    """Return whether steps, well-typed or not, are a plan of the problem."""
    return not fault_of_plan(domain, problem, steps)


def idle(domain: Domain, problem: Problem, steps: Sequence[Step]) -> list[str]:
    """Return a message for each applicable step that changes nothing."""
    return [
        f"step {number} changes nothing"
        for number, (before, after) in enumerate(pairwise(execute(domain, problem, steps).states), 1)
        if before == after
    ]


def plan_faults(domain: Domain, problem: Problem, steps: Sequence[Step], name: str = "the plan") -> list[str]:
    """Return why steps are not a plan, or which steps change nothing."""
    if fault := fault_of_plan(domain, problem, steps):
        return [f"{name} is not valid: {fault}"]
    return [f"{name}: {fault}" for fault in idle(domain, problem, steps)]


def lacking(literals: Sequence[Literal], state: State) -> list[Literal]:
    """Return the literals that do not hold in a state, sorted, positive ones first."""
    return sorted({literal for literal in literals if not literal.holds(state)}, key=positive_first)


def verdict(domain: Domain, problem: Problem, steps: Sequence[Step]) -> str:
    """Return the verdict, one of ``VERDICTS``, on a sequence; its steps may have unknown names."""
    if any(step[0] not in domain.action_named for step in steps):
        return INVALID
    trajectory = execute(domain, problem, steps)
    if trajectory.failed is not None:
        return INAPPLICABLE
    return PLAN if problem.satisfied(trajectory.last) else APPLICABLE


def statics_hold(domain: Domain, problem: Problem, step: Step) -> bool:
    """Return whether all static preconditions of a step hold."""
    static = [literal for literal in preconditions(domain, step) if literal.atom[0] not in domain.fluents]
    return all(literal.holds(problem.init) for literal in static)


def without(plan: Sequence[Step], start: int, width: int) -> tuple[Step, ...]:
    """Return the plan without ``width`` steps from ``start`` on."""
    return (*plan[:start], *plan[start + width :])


def superfluous(domain: Domain, problem: Problem, plan: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """Yield (start, width) for each step, or two consecutive steps, without which the plan remains valid."""
    for width in (1, 2):
        for start in range(len(plan) - width + 1):
            if is_plan(domain, problem, without(plan, start, width)):
                yield start, width


def occurrences(plan: Sequence[Step], part: Sequence[Step]) -> list[int]:
    """Return the positions in the plan where the steps of ``part`` occur consecutively."""
    width = len(part)
    starts = range(len(plan) - width + 1)
    return [start for start in starts if tuple(plan[start : start + width]) == tuple(part)]


def positive_first(literal: Literal) -> tuple[object, ...]:
    """Return a sort key that puts positive literals first."""
    return (not literal.positive, literal.atom)


def ground_atoms(domain: Domain, step: Step, atoms: Iterable[Atom]) -> set[Atom]:
    """Return atoms of an action schema with the arguments of a step for its parameters."""
    arguments = _arguments(domain, step)
    return {_substituted(atom, arguments) for atom in atoms}


def _ground(domain: Domain, step: Step, literals: Iterable[Literal]) -> list[Literal]:
    """Return literals of an action schema with the arguments of a step in place of its parameters."""
    arguments = _arguments(domain, step)
    return [Literal(_substituted(literal.atom, arguments), literal.positive) for literal in literals]


def _arguments(domain: Domain, step: Step) -> dict[str, str]:
    parameters = domain.action_named[step[0]].parameters
    return {typed.name: name for typed, name in zip(parameters, step[1:], strict=True)}


def _substituted(atom: Atom, arguments: Mapping[str, str]) -> Atom:
    return tuple([arguments.get(name, name) for name in atom])
