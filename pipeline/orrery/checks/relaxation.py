"""Ground a task by another method: list all actions, then count their unsatisfied conditions.

``planning.grounding`` joins reached facts with the schemas. Here, every action that types, static facts and
(in)equalities allow has a counter of its other conditions, which decreases as facts become true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from orrery.checks.lifted import actions_of
from orrery.model import EQUAL, Action, Atom, Domain, Literal, Problem, Step
from orrery.planning.task import PlanningTask, bits

SHOWN = 3  # maximum number of differences that are listed


class RelaxedGrounding(NamedTuple):
    """Relaxed reachable facts and facts of the goal, and actions whose conditions are reachable, sorted."""

    facts: list[Atom]
    steps: list[Step]


class _Instance(NamedTuple):
    """An action with the facts that it needs, forbids, adds and deletes, restricted to non-static facts."""

    needs: frozenset[Atom]
    forbids: frozenset[Atom]
    adds: frozenset[Atom]
    deletes: frozenset[Atom]


class _Schemas:
    """The actions of a domain, prepared for instantiation."""

    def __init__(self, domain: Domain) -> None:
        self.actions = {action.name: action for action in domain.actions}
        self.changing = {atom[0] for action in domain.actions for atom in (*action.add, *action.delete)}
        self.deleted = {atom[0] for action in domain.actions for atom in action.delete}

    def of(self, step: Step) -> _Instance:
        """Return the facts of a step."""
        action = self.actions[step[0]]
        values = {parameter.name: name for parameter, name in zip(action.parameters, step[1:], strict=True)}
        conditions = self._conditions(action)
        adds = _of(action.add, values)
        return _Instance(
            _of((literal.atom for literal in conditions if literal.positive), values),
            _of((literal.atom for literal in conditions if not literal.positive), values),
            adds,
            _of(action.delete, values) - adds,
        )

    def _conditions(self, action: Action) -> list[Literal]:
        return [literal for literal in action.preconditions if literal.atom[0] in self.changing]


def _of(atoms: Iterable[Atom], values: dict[str, str]) -> frozenset[Atom]:
    return frozenset((atom[0], *(values.get(word, word) for word in atom[1:])) for atom in atoms)


def relaxation(domain: Domain, problem: Problem) -> RelaxedGrounding:
    """Return the facts and actions that a problem reaches if no true fact ever becomes false.

    A negative condition restricts an action only if its fact is true initially and no action deletes it.
    """
    schemas = _Schemas(domain)
    waiting: dict[Atom, list[int]] = defaultdict(list)
    steps, instances, missing = list[Step](), list[_Instance](), list[int]()
    for step in actions_of(domain, problem):
        instance = schemas.of(step)
        if not any(fact[0] not in schemas.deleted and fact in problem.init for fact in instance.forbids):
            for fact in instance.needs:
                waiting[fact].append(len(steps))
            steps.append(step)
            instances.append(instance)
            missing.append(len(instance.needs))
    reached = {fact for fact in problem.init if fact[0] in schemas.changing}
    ready = [place for place, count in enumerate(missing) if not count]
    queue = [*reached]
    while queue or ready:
        for place in ready:
            new = instances[place].adds - reached
            reached |= new
            queue += new
        ready.clear()
        if queue:
            for place in waiting[queue.pop()]:
                missing[place] -= 1
                if not missing[place]:
                    ready.append(place)
    wanted = {literal.atom for literal in problem.goal if not _settled(literal, problem, schemas.changing)}
    return RelaxedGrounding(
        sorted(reached | wanted), [step for step, n in zip(steps, missing, strict=True) if not n]
    )


def _settled(literal: Literal, problem: Problem, changing: set[str]) -> bool:
    """Return whether static facts make a part of the goal true, so that it is not a fact of the task."""
    if literal.atom[0] == EQUAL:
        return literal.holds(frozenset())
    return literal.positive and literal.atom[0] not in changing and literal.atom in problem.init


def faults_of(task: PlanningTask, relaxation: RelaxedGrounding) -> Iterator[str]:
    """Yield what a ground task has in addition, lacks, or defines differently from the schemas."""
    for name, has, should in (
        ("facts", set(task.facts), set(relaxation.facts)),
        ("actions", {action.step for action in task.actions}, set(relaxation.steps)),
    ):
        if has != should:
            lacks, extra = sorted(should - has)[:SHOWN], sorted(has - should)[:SHOWN]
            yield f"the ground task lacks the {name} {lacks}, and has {extra} too much"
    schemas = _Schemas(task.domain)
    for action in task.actions:
        stated = (action.positive, action.negative, action.add, action.delete)
        effects = [{task.facts[place] for place in bits(mask)} for mask in stated]
        wanted = [facts.intersection(task.bit) for facts in schemas.of(action.step)]
        if effects != wanted:
            yield f"the ground task states {action.step} otherwise than its schema"
            return
