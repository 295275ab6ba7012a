"""Delete relaxation: ground a task by another method, and count landmarks.

``planning.grounding`` joins reached facts with the schemas. Here, every action that types, static facts and
(in)equalities allow is listed first; those with reached conditions add facts until none is new.

``planning.landmarks`` computes a fixpoint over all facts. Here, each fact that a relaxed plan adds is tested
by itself. Landmarks that no action adds together bound the length of a plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import NamedTuple

from orrery.checks.execution import added_facts, deleted_facts, ground_atoms
from orrery.checks.lifted import actions_of
from orrery.model import EQUAL, Atom, Domain, Literal, Problem, Step
from orrery.planning.task import GroundAction, PlanningTask

SHOWN = 3  # maximum number of differences that are listed


class _Instance(NamedTuple):
    """The facts of an action that some action changes: those that it needs, forbids, adds and deletes."""

    needs: set[Atom]
    forbids: set[Atom]
    adds: set[Atom]
    deletes: set[Atom]


def _instance(domain: Domain, step: Step) -> _Instance:
    conditions = [c for c in domain.action_named[step[0]].preconditions if c.atom[0] in domain.fluents]
    needs, forbids = (
        ground_atoms(domain, step, [c.atom for c in conditions if c.positive == sign])
        for sign in (True, False)
    )
    adds = added_facts(domain, step)
    return _Instance(needs, forbids, adds, deleted_facts(domain, step) - adds)


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
    instances = {step: _instance(domain, step) for step in actions_of(domain, problem)}
    waiting = {step: facts for step, facts in instances.items() if lasting.isdisjoint(facts.forbids)}
    reached, steps = {fact for fact in problem.init if fact[0] in domain.fluents}, list[Step]()
    while ready := [step for step, facts in waiting.items() if facts.needs <= reached]:
        steps += ready
        reached |= set[Atom]().union(*(waiting.pop(step).adds for step in ready))
    wanted = {literal.atom for literal in problem.goal if not _settled(literal, problem, domain.fluents)}
    return RelaxedGrounding(sorted(reached | wanted), sorted(steps), instances)


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
        instance = relaxation.instances.get(action.step) or _instance(task.domain, action.step)
        if action[1:] != tuple(sum(task.bit.get(fact, 0) for fact in facts) for facts in instance):
            yield f"the ground task states {action.step} otherwise than its schema"
            return


def landmark_bound(task: PlanningTask) -> int:
    """Return a lower bound on the number of steps of every plan.

    Landmarks are taken in the order of the number of their achievers, then of the facts, if no achiever adds
    an earlier one, too. Return 0 if the relaxation does not reach the goal.
    """
    adding: dict[int, list[int]] = {}
    for bit in sorted(_added_by_relaxed_plan(task)):
        if is_relaxed_landmark(task, bit):
            adding[bit] = [number for number, action in enumerate(task.actions) if action.add & bit]
    taken = set[int]()
    bound = 0
    for bit in sorted(adding, key=lambda bit: (len(adding[bit]), bit)):
        if taken.isdisjoint(adding[bit]):
            taken.update(adding[bit])
            bound += 1
    return bound


def is_relaxed_landmark(task: PlanningTask, bit: int) -> bool:
    """Return whether the relaxation does not reach the goal without the actions that add a fact."""
    missing = task.goal_positive & ~task.init
    for _, news in _applied(task.init, [action for action in task.actions if not action.add & bit]):
        missing &= ~news
        if not missing:
            break
    return bool(missing)


def _added_by_relaxed_plan(task: PlanningTask) -> set[int]:
    """Return the facts that are false initially and true after some relaxed plan, each as one bit."""
    adders: dict[int, GroundAction] = {}
    for action, news in _applied(task.init, list(task.actions)):
        adders |= dict.fromkeys(_single(news), action)
    needed, done, added = list(_single(task.goal_positive & ~task.init)), set[int](), set[int]()
    while needed:
        bit = needed.pop()
        if bit not in adders:
            return set()
        if bit not in done:
            done.add(bit)
            added |= set(_single(adders[bit].add & ~task.init))
            needed += _single(adders[bit].positive & ~task.init)
    return added


def relaxed_facts(facts: int, actions: list[GroundAction]) -> int:
    """Return the facts that actions reach if no true fact ever becomes false."""
    return reduce(or_, (news for _, news in _applied(facts, actions)), facts)


def _applied(facts: int, actions: list[GroundAction]) -> Iterator[tuple[GroundAction, int]]:
    """Yield each action that adds something, with the new facts, until nothing is new."""
    before = -1
    while facts != before:
        before, waiting = facts, []
        for action in actions:
            if action.positive & ~facts:
                waiting.append(action)
            elif news := action.add & ~facts:
                facts |= news
                yield action, news
        actions = waiting


def _single(mask: int) -> Iterator[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1
