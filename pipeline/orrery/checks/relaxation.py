"""Ground a task by another method: list all actions, then apply those whose conditions are reached.

``planning.grounding`` joins reached facts with the schemas. Here, every action that types, static facts and
(in)equalities allow is listed first; those with reached conditions add facts until none is new.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from orrery.checks.execution import added_facts, deleted_facts, ground_atoms
from orrery.checks.lifted import actions_of
from orrery.model import EQUAL, Atom, Domain, Literal, Problem, Step
from orrery.planning.task import PlanningTask

SHOWN = 3  # maximum number of differences that are listed


@dataclass(eq=False)
class _Instance:
    """The non-static facts of an action: computed when needed, as most actions are never reached."""

    domain: Domain
    step: Step

    @cached_property
    def needs(self) -> set[Atom]:
        """The facts that must hold."""
        return self._of_conditions(positive=True)

    @cached_property
    def forbids(self) -> set[Atom]:
        """The facts that must not hold."""
        return self._of_conditions(positive=False)

    @cached_property
    def adds(self) -> set[Atom]:
        """The facts that the action makes true."""
        return added_facts(self.domain, self.step)

    @cached_property
    def deletes(self) -> set[Atom]:
        """The facts that the action makes false."""
        return deleted_facts(self.domain, self.step) - self.adds

    def _of_conditions(self, *, positive: bool) -> set[Atom]:
        fluents, conditions = self.domain.fluents, self.domain.action_named[self.step[0]].preconditions
        atoms = [c.atom for c in conditions if c.positive == positive and c.atom[0] in fluents]
        return ground_atoms(self.domain, self.step, atoms) if atoms else set()


class RelaxedGrounding(NamedTuple):
    """Relaxed reachable facts and facts of the goal, and actions whose conditions are reachable, sorted.

    ``instances`` has the facts of these actions, and of others.
    """

    facts: list[Atom]
    steps: list[Step]
    instances: Mapping[Step, _Instance]


def relaxation(domain: Domain, problem: Problem) -> RelaxedGrounding:
    """Return the facts and actions that a problem reaches if no true fact ever becomes false.

    A negative condition restricts an action only if its fact is true initially and no action deletes it.
    """
    deleted = {atom[0] for action in domain.actions for atom in action.delete}
    lasting = {fact for fact in problem.init if fact[0] not in deleted}
    instances = {step: _Instance(domain, step) for step in actions_of(domain, problem)}
    waiting = {step: facts for step, facts in instances.items() if lasting.isdisjoint(facts.forbids)}
    reached, steps = _closure({fact for fact in problem.init if fact[0] in domain.fluents}, waiting)
    wanted = {literal.atom for literal in problem.goal if not _settled(literal, problem, domain.fluents)}
    return RelaxedGrounding(sorted(reached | wanted), sorted(steps), instances)


def _closure(reached: set[Atom], waiting: dict[Step, _Instance]) -> tuple[set[Atom], list[Step]]:
    """Return all facts reached by actions whose needs are reached, and these actions; others stay waiting."""
    steps = list[Step]()
    while ready := [step for step, facts in waiting.items() if facts.needs <= reached]:
        steps += ready
        reached |= set[Atom]().union(*(waiting.pop(step).adds for step in ready))
    return reached, steps


def _settled(literal: Literal, problem: Problem, changing: Collection[str]) -> bool:
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
    for action in task.actions:
        instance = relaxation.instances.get(action.step) or _Instance(task.domain, action.step)
        own = (instance.needs, instance.forbids, instance.adds, instance.deletes)
        if action[1:] != tuple(sum(task.bit.get(fact, 0) for fact in facts) for facts in own):
            yield f"the ground task states {action.step} otherwise than its schema"
            return
