"""What planners prove about a task too large to enumerate; the rest is named as undecided.

Evidence comes cheapest first: the states that an unfinished sweep has seen and the states of plans
witness what can happen, the delete relaxation and h2 prove what cannot, and a planner call a
remaining fact decides it, within a budget of calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pipeline.facts.by_sweep import applied_steps
from pipeline.facts.decided import Decided, candidates, never_applied, undecided
from pipeline.model import Atom, Plan, Proof, Step
from pipeline.planners.exhaustive import Space
from pipeline.planners.fast_downward import solve
from pipeline.planners.outcome import Answer, Outcome
from pipeline.semantics.progression import applicable, is_applicable, progress, run
from pipeline.semantics.relaxation import PairReachability, pair_reachability, relaxed_landmarks
from pipeline.semantics.task import GroundAction, Task, union
from pipeline.semantics.universe import fluent_atoms


@dataclass
class _Evidence:
    """What has been seen to happen so far, the planner calls left, and what stayed undecided."""

    task: Task
    reached: int
    applied: set[Step]
    calls: int
    seconds: float
    undecided: list[str] = field(default_factory=list)

    def ask(self, task: Task, *, optimal: bool = False, forbidden: Atom | None = None) -> Answer:
        """One planner call, or INCOMPLETE where the budget is spent."""
        if self.calls <= 0:
            return Answer(Outcome.INCOMPLETE, detail="no planner calls left")
        self.calls -= 1
        answer = solve(task, optimal=optimal, forbidden=forbidden, seconds=self.seconds)
        if answer.plan is not None and task.init == self.task.init:
            self.witness(answer.plan.steps)
        return answer

    def witness(self, steps: Iterable[Step]) -> list[int]:
        """Record the states of a run from the initial state; return them."""
        masks = run(self.task, steps) or [self.task.init]
        self.reached |= union(masks)
        for mask in masks:
            self.applied.update(a.step for a in self.task.actions if is_applicable(mask, a))
        return masks


def decide_by_planner(task: Task, space: Space, plan: Plan | None, *, calls: int, seconds: float) -> Decided:
    """What can be proven about ``task`` from an unfinished ``space`` and at most ``calls`` planner calls.

    ``plan`` is a valid plan where one is known already.
    """
    evidence = _Evidence(task, space.reached_facts(), set(applied_steps(task, space)), calls, seconds)
    solvable, plan = _solvable(evidence, space.proven_plan() or plan)
    landmarks, others = _landmarks(evidence, solvable, plan)
    closer, not_closer = _next_actions(evidence, solvable, plan)
    pairs = pair_reachability(task, task.init)
    facts, never = _unreachable_facts(evidence, pairs), _unreachable_actions(evidence, pairs)
    listed, number, every = never_applied(task, never)
    return Decided(
        solvable=solvable,
        plan=plan,
        landmarks=landmarks,
        not_landmarks=others,
        unreachable_facts=facts,
        reachable_actions=frozenset(evidence.applied),
        unreachable_actions=listed,
        num_steps=every,
        num_unreachable_actions=number,
        closer=closer,
        not_closer=not_closer,
        undecided=tuple(evidence.undecided),
    )


def _solvable(evidence: _Evidence, plan: Plan | None) -> tuple[bool | None, Plan | None]:
    """Whether there is a plan, and the best one known: a shortest one where that is proven.

    The first goal state of a breadth-first sweep is a nearest one, however early the sweep ends; so
    A* is asked only where ``plan`` is not optimal already.
    """
    for optimal in (True, False):
        if plan is None or (optimal and plan.optimal is None):
            answer = evidence.ask(evidence.task, optimal=optimal)
            if answer.outcome is Outcome.UNSOLVABLE_PROVEN:
                return False, None
            plan = answer.plan or plan
    if plan is None:
        evidence.undecided.append("plan: solvability")
        return None, None
    if plan.optimal is None:
        evidence.undecided.append("plan: optimal cost")
    evidence.witness(plan.steps)
    return True, plan


def _landmarks(
    evidence: _Evidence, solvable: bool | None, plan: Plan | None
) -> tuple[dict[Atom, Proof], dict[Atom, Proof]]:
    """Each candidate decided by the relaxed test, by a plan that avoids it, or by forbidding it.

    None are asked for where there is no plan; all stay undecided where that is not known.
    """
    task = evidence.task
    if plan is None:
        if solvable is None:
            evidence.undecided += [undecided("landmark", fact) for fact in candidates(task)]
        return {}, {}
    open_facts = _met(task, evidence.witness(plan.steps), candidates(task))
    others = {fact: Proof.WITNESS for fact in candidates(task) if fact not in open_facts}
    relaxed = relaxed_landmarks(task, task.init)
    found = {fact: Proof.DELETE_RELAXATION for fact in open_facts if task.bit[fact] & relaxed}
    for fact in [fact for fact in open_facts if fact not in found]:
        if fact in others:
            continue
        answer = evidence.ask(task, forbidden=fact)
        if answer.outcome is Outcome.UNSOLVABLE_PROVEN:
            found[fact] = Proof.UNSOLVABILITY
        elif answer.plan is not None:
            met = _met(task, evidence.witness(answer.plan.steps), open_facts)
            others |= {other: Proof.WITNESS for other in open_facts if other not in met}
        else:
            evidence.undecided.append(undecided("landmark", fact))
    return found, others


def _next_actions(
    evidence: _Evidence, solvable: bool | None, plan: Plan | None
) -> tuple[dict[Step, Proof], dict[Step, Proof]]:
    """The applicable actions by whether the goal is one step nearer after them: A* from each successor.

    None are asked for where there is no plan; all stay undecided where no shortest one is known.
    """
    task, first = evidence.task, applicable(evidence.task, evidence.task.init)
    if plan is None or plan.optimal is None:
        if solvable is not False:
            evidence.undecided += [undecided("next", action.step) for action in first]
        return {}, {}
    closer: dict[Step, Proof] = {}
    others: dict[Step, Proof] = {}
    for action in first:
        there = replace(task, init=progress(task.init, action))
        answer = evidence.ask(there, optimal=True)
        if not answer.outcome.decided:
            evidence.undecided.append(undecided("next", action.step))
        elif answer.plan is not None and len(answer.plan.steps) < len(plan.steps):
            closer[action.step] = Proof.ASTAR
        else:
            others[action.step] = Proof.ASTAR if answer.plan else Proof.UNSOLVABILITY
    return closer, others


def _met(task: Task, masks: list[int], facts: Iterable[Atom]) -> list[Atom]:
    """Those of ``facts`` that hold in some state of ``masks``."""
    seen = union(masks)
    return [fact for fact in facts if task.bit.get(fact, 0) & seen]


def _unreachable_facts(evidence: _Evidence, pairs: PairReachability) -> dict[Atom, Proof]:
    """Facts proven never to hold; those that nothing decides are named in the evidence."""
    found: dict[Atom, Proof] = {}
    for fact in fluent_atoms(evidence.task.domain, evidence.task.problem):
        bit = evidence.task.bit.get(fact, 0)
        if not bit:
            found[fact] = Proof.DELETE_RELAXATION
        elif not bit & pairs.facts:
            found[fact] = Proof.H2
        elif not bit & evidence.reached:
            proof = _refute(evidence, bit, 0, undecided("fact", fact))
            found |= {fact: proof} if proof else {}
    return found


def _unreachable_actions(evidence: _Evidence, pairs: PairReachability) -> dict[Step, Proof]:
    """The task's actions proven never to be applicable; what nothing decides is named in the evidence."""
    found: dict[Step, Proof] = {}
    for action in evidence.task.actions:
        if action.step not in evidence.applied:
            proof = _refute_action(evidence, pairs, action)
            found |= {action.step: proof} if proof else {}
    return found


def _refute_action(evidence: _Evidence, pairs: PairReachability, action: GroundAction) -> Proof | None:
    """The proof that ``action`` is never applicable, or None."""
    if not pairs.allows(action):
        return Proof.H2
    return _refute(evidence, action.positive, action.negative, undecided("action", action.step))


def _refute(evidence: _Evidence, positive: int, negative: int, name: str) -> Proof | None:
    """The proof that no reachable state has all of ``positive`` and none of ``negative``, or None."""
    wanted = replace(evidence.task, goal_positive=positive, goal_negative=negative)
    answer = evidence.ask(wanted)
    if answer.outcome is Outcome.UNSOLVABLE_PROVEN:
        return Proof.UNSOLVABILITY
    if answer.plan is None:
        evidence.undecided.append(name)
    return None
