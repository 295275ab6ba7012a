"""What planners prove about a task too large to enumerate; the rest is named as undecided.

Evidence comes cheapest first: the states that an unfinished sweep has seen and the states of plans
witness what can happen, the delete relaxation and h2 prove what cannot, and a planner call a
remaining fact decides it, within a budget of calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pipeline.facts.by_sweep import applied_steps
from pipeline.facts.decided import Decided, candidates
from pipeline.facts.plans import find_plan
from pipeline.model import Atom, Plan, Proof, Step
from pipeline.planners.exhaustive import Space
from pipeline.planners.fast_downward import solve
from pipeline.planners.outcome import Outcome
from pipeline.semantics.progression import is_applicable, run
from pipeline.semantics.relaxation import PairReachability, pair_reachability, relaxed_landmarks
from pipeline.semantics.task import GroundAction, Task
from pipeline.semantics.universe import fluent_atoms, ground_steps


@dataclass
class _Evidence:
    """What has been seen to happen so far, the planner calls left, and what stayed undecided."""

    task: Task
    reached: int
    applied: set[Step]
    calls: int
    seconds: float
    undecided: list[str] = field(default_factory=list)

    def ask(self, task: Task, forbidden: Atom | None = None) -> tuple[Outcome, Plan | None]:
        """One satisficing planner call, or INCOMPLETE where the budget is spent."""
        if self.calls <= 0:
            return Outcome.INCOMPLETE, None
        self.calls -= 1
        answer = solve(task, forbidden=forbidden, seconds=self.seconds)
        if answer.plan is not None:
            self.witness(answer.plan.steps)
        return answer.outcome, answer.plan

    def witness(self, steps: Iterable[Step]) -> list[int]:
        """Record the states of a run from the initial state; return them."""
        masks = run(self.task, steps) or [self.task.init]
        for mask in masks:
            self.reached |= mask
            self.applied.update(a.step for a in self.task.actions if is_applicable(mask, a))
        return masks


def decide_by_planner(task: Task, space: Space, plan: Plan | None, *, calls: int, seconds: float) -> Decided:
    """What can be proven about ``task`` from an unfinished ``space`` and at most ``calls`` planner calls.

    ``plan`` is a valid plan where one is known already.
    """
    evidence = _Evidence(task, space.reached_facts(), set(applied_steps(task, space)), calls, seconds)
    plan = _best_plan(evidence, plan)
    solvable = _solvable(evidence, plan)
    landmarks, others = _landmarks(evidence, plan) if plan else ({}, {})
    pairs = pair_reachability(task, task.init)
    return Decided(
        solvable=solvable,
        plan=plan,
        landmarks=landmarks,
        not_landmarks=others,
        unreachable_facts=_unreachable_facts(evidence, pairs),
        unreachable_actions=_unreachable_actions(evidence, pairs),
        undecided=tuple(evidence.undecided),
    )


def _best_plan(evidence: _Evidence, plan: Plan | None) -> Plan | None:
    """An optimal plan where A* ends within its limit; otherwise any plan, the cost undecided."""
    answer = solve(evidence.task, optimal=True, seconds=evidence.seconds)
    if answer.outcome is not Outcome.SOLVED_OPTIMALLY and answer.outcome is not Outcome.UNSOLVABLE_PROVEN:
        evidence.undecided.append("plan: optimal cost")
        plan = plan or find_plan(evidence.task, None, seconds=evidence.seconds).plan
    else:
        plan = answer.plan
    if plan is not None:
        evidence.witness(plan.steps)
    return plan


def _solvable(evidence: _Evidence, plan: Plan | None) -> bool | None:
    """True with a plan, False with a proof, None otherwise."""
    if plan is not None:
        return True
    outcome, _ = evidence.ask(evidence.task)
    if outcome is Outcome.UNSOLVABLE_PROVEN:
        return False
    evidence.undecided.append("plan: solvability")
    return None


def _landmarks(evidence: _Evidence, plan: Plan) -> tuple[dict[Atom, Proof], dict[Atom, Proof]]:
    """Each candidate decided by the relaxed test, by a plan that avoids it, or by forbidding it."""
    task = evidence.task
    open_facts = _on_every(task, evidence.witness(plan.steps), candidates(task))
    others = {fact: Proof.WITNESS for fact in candidates(task) if fact not in open_facts}
    relaxed = relaxed_landmarks(task, task.init)
    found = {fact: Proof.DELETE_RELAXATION for fact in open_facts if task.bit[fact] & relaxed}
    for fact in [fact for fact in open_facts if fact not in found]:
        if fact in others:
            continue
        outcome, avoiding = evidence.ask(task, forbidden=fact)
        if outcome is Outcome.UNSOLVABLE_PROVEN:
            found[fact] = Proof.UNSOLVABILITY
        elif avoiding is not None:
            kept = _on_every(task, evidence.witness(avoiding.steps), open_facts)
            others |= {other: Proof.WITNESS for other in open_facts if other not in kept}
        else:
            evidence.undecided.append(f"landmark: {' '.join(fact)}")
    return found, others


def _on_every(task: Task, masks: list[int], facts: Iterable[Atom]) -> list[Atom]:
    """Those of ``facts`` that hold in some state of ``masks``."""
    seen = 0
    for mask in masks:
        seen |= mask
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
            proof = _refute(evidence, bit, 0, f"fact: {' '.join(fact)}")
            found |= {fact: proof} if proof else {}
    return found


def _unreachable_actions(evidence: _Evidence, pairs: PairReachability) -> dict[Step, Proof]:
    """Actions proven never to be applicable; those that nothing decides are named in the evidence."""
    found: dict[Step, Proof] = {}
    for step in ground_steps(evidence.task.domain, evidence.task.problem):
        action = evidence.task.action_of.get(step)
        if action is None:
            found[step] = Proof.DELETE_RELAXATION
        elif step not in evidence.applied:
            proof = _refute_action(evidence, pairs, action)
            found |= {step: proof} if proof else {}
    return found


def _refute_action(evidence: _Evidence, pairs: PairReachability, action: GroundAction) -> Proof | None:
    """The proof that ``action`` is never applicable, or None."""
    if not pairs.allows(action):
        return Proof.H2
    return _refute(evidence, action.positive, action.negative, f"action: {' '.join(action.step)}")


def _refute(evidence: _Evidence, positive: int, negative: int, name: str) -> Proof | None:
    """The proof that no reachable state has all of ``positive`` and none of ``negative``, or None."""
    wanted = replace(evidence.task, goal_positive=positive, goal_negative=negative)
    outcome, plan = evidence.ask(wanted)
    if outcome is Outcome.UNSOLVABLE_PROVEN:
        return Proof.UNSOLVABILITY
    if plan is None:
        evidence.undecided.append(name)
    return None
