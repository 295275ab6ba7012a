"""Goal closure: the set of reachable goal states as a few literals, independent of the wording of the goal.

Let ``R`` be the reachable states of a problem and ``G`` those of them in which the goal holds. The
closure is ``(P, N)`` with

    P = the fluent facts true in every state of G,
    N = the facts true in some state of R that has all of P, but in no state of G.

*It determines G.* ``G = {s in R : P within s, N and s disjoint}``: a goal state has all of P by definition of
P and nothing of N by definition of N. Conversely let s in R have all of P and nothing of N. A positive goal
literal g holds in s, because g is in P (or static). For a negative goal literal "not q": no state of G has
q; if s had q, then q would be in N (s is a state of R that has P). So s is in G.

*It depends only on (R, G)*, and R only on the initial state. A renaming of objects that maps initial
state to initial state and G to G therefore maps (P, N) to (P, N), and conversely: given
isomorphic initial states, equal closures mean equal sets of goal states. So problems are equivalent
iff (initial state, P, N) are isomorphic, and the wording of a goal does not matter.

*N is small.* For goals without negation N is empty: a state of R that has P satisfies the goal. The
same holds if the negative literals follow from P. A plain list of all facts false in G would work too,
but has thousands of facts for 55 blocks.

If G is empty there is no closure; then the problem is equivalent to those unsolvable problems whose
initial states are isomorphic to its own.

*If there are too many states*, P is between a lower bound (the goal, and facts forced by invariants) and an
upper bound (the intersection of the reachable goal states witnessed so far). For each fact in between, a
planner searches for a goal state without it: a plan lowers the upper bound, a proof that there is none raises
the lower one.

*Invariants.* h2 gives facts that cannot be true together with the goal. A *clause* is a set of facts of which
at least one is true in every reachable state. A clause whose other members are all false in the goal forces
the remaining one. Clauses are grown from that fact: whenever an action deletes members and adds none, a fact
that it adds joins (the balancing of Helmert, "Concise finite-domain representations for PDDL planning tasks",
2009, on ground facts and for "at least one" only).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from orrery.equivalence.graph import Undecided
from orrery.model import Atom, Domain, Literal, Problem, Proof, State, Step, ToolMissing, literals
from orrery.planning.exhaustive_python import ReachedStates, explore
from orrery.planning.fast_downward import solve
from orrery.planning.grounding import ground
from orrery.planning.h2 import pair_reachability
from orrery.planning.outcome import DEFAULT_LIMIT
from orrery.planning.refutation import refuted
from orrery.planning.task import GroundAction, PlanningTask, bits, run, union

_MOST_TRIALS = 50


class WitnessedStates:
    """States witnessed so far: the masks of the facts true in all of them, and in some of them."""

    def __init__(self, masks: tuple[int, int] | None = None) -> None:
        """Start with the masks of earlier states; None means no state."""
        self.shared, self.sometimes = masks or (-1, 0)

    @property
    def is_empty(self) -> bool:
        """Whether no state is witnessed."""
        return self.shared == -1

    def add(self, state: int) -> None:
        """Add one more state."""
        self.shared &= state
        self.sometimes |= state


def close_by_planner(
    task: PlanningTask, goal_states: WitnessedStates, calls: int, seconds: float
) -> tuple[int, int] | None:
    """Return the masks of P and N as ``closure`` defines them; None if there is no plan.

    Reachable goal states that are found are added to ``goal_states``. At most ``calls`` planner calls of
    ``seconds`` each are made.

    Raises:
        Undecided: the calls are used up, or the planner does not decide.
    """
    asker = _Asker(task, calls, seconds)
    if goal_states.is_empty and not asker.witness(task.goal_positive, task.goal_negative, goal_states):
        return None
    always = _always(task, asker, goal_states)
    return always, _excluded(task, asker, goal_states, always)


class _Asker:
    """Searches for states with a limited number of planner calls."""

    def __init__(self, task: PlanningTask, calls: int, seconds: float) -> None:
        self.task, self.calls, self.seconds = task, calls, seconds

    def witness(self, positive: int, negative: int, seen: WitnessedStates) -> bool:
        """Return whether a state with all of ``positive`` and none of ``negative`` is reachable.

        The state is added to ``seen``.

        Raises:
            Undecided: the calls are used up, or the planner does not decide.
        """
        if not self.calls:
            raise Undecided("too many facts are open")
        self.calls -= 1
        target = replace(self.task, goal_positive=positive, goal_negative=negative)
        answer = solve(target, seconds=self.seconds)
        if not answer.outcome.decided:
            raise Undecided(f"planner: {answer.outcome} {answer.detail}".rstrip())
        if answer.plan is None:
            return False
        states = run(target, answer.plan.steps)
        if states is None:
            raise Undecided("planner: its plan cannot be run")
        seen.add(states[-1])
        return True


def _always(task: PlanningTask, asker: _Asker, goals: WitnessedStates) -> int:
    """Return P: the facts of all reachable goal states; add goal states that are found to ``goals``."""
    lower = forced_facts(task)
    while still_open := goals.shared & ~lower:
        fact = still_open & -still_open
        if not asker.witness(task.goal_positive, task.goal_negative | fact, goals):
            lower |= fact
    return goals.shared


def _excluded(task: PlanningTask, asker: _Asker, goals: WitnessedStates, always: int) -> int:
    """Return N: the facts that reachable states with ``always`` can have, but goal states cannot.

    The goal's own negative literals are checked first. If none of them can hold together with ``always``,
    all such states are goal states and N is empty.
    """
    with_negative = WitnessedStates()
    if not any(asker.witness(always | 1 << index, 0, with_negative) for index in bits(task.goal_negative)):
        return 0
    excluded = 0
    for fact in (1 << index for index in range(len(task.facts))):
        if fact & goals.sometimes:
            continue
        possible = bool(fact & with_negative.sometimes) or asker.witness(always | fact, 0, with_negative)
        if possible and not asker.witness(task.goal_positive | fact, task.goal_negative, goals):
            excluded |= fact
    return excluded


def forced_facts(task: PlanningTask) -> int:
    """Return the goal's facts, and facts that an invariant makes true in every reachable goal state.

    The result may be incomplete. If the goal is unreachable, any result is right.
    """
    pairs = pair_reachability(task, task.init)
    actions = [action for action in task.actions if pairs.allows(action.positive)]
    all_facts = (1 << len(task.facts)) - 1
    forced, grown = task.goal_positive, True
    while grown:
        grown = False
        possible = pairs.facts & ~task.goal_negative
        for fact in bits(forced):
            possible &= pairs.together[fact]
        for fact in bits(possible & ~forced):
            if _clause(actions, task.init, 1 << fact, all_facts & ~possible):
                forced |= 1 << fact
                grown = True
    return forced


def _clause(actions: list[GroundAction], init: int, fact: int, false: int) -> bool:
    """Return whether ``fact`` and some of the facts ``false`` form a clause; False if none is found."""
    todo = [fact]
    for _ in range(_MOST_TRIALS):
        if not todo:
            break
        balanced = _balance(actions, todo.pop(), false)
        if balanced is None:
            continue
        members, choice = balanced
        if not choice and members & init:
            return True
        todo += [members | 1 << index for index in reversed(bits(choice or init & false))]
    return False


def _balance(actions: list[GroundAction], members: int, false: int) -> tuple[int, int] | None:
    """Return ``members`` closed under joining, and a choice of joiners for an action still unbalanced.

    The choice is 0 if no action can empty the clause; None if some action must.
    """
    grown = True
    while grown:
        grown, choice = False, 0
        for action in actions:
            facts_after = action.positive & ~action.delete | action.add
            if action.delete & members and not facts_after & members:
                joiners = action.add & false
                if not joiners:
                    return None
                if joiners & (joiners - 1):
                    choice = joiners
                else:
                    members |= joiners
                    grown = True
    return members, choice


Rule: TypeAlias = Callable[[Problem], frozenset[Atom] | None]
Steps: TypeAlias = Sequence[Step]
RULE = "rule"
NOTHING: State = frozenset()
_FEW_STATES = 5_000  # about 5 ms, as much as a refutation


@dataclass(frozen=True, slots=True)
class Closure:
    """The closure of a goal (P ``positive``, N ``negative``), or the reason why there is none.

    ``solvable`` is None if unknown. ``decided``: it is known that this is the closure, or that the problem
    has no plan and so no closure. ``proof`` is the method: "rule" or a ``Proof``; if undecided, the open
    part.
    """

    solvable: bool | None
    proof: str
    positive: State = NOTHING
    negative: State = NOTHING
    decided: bool = True

    @property
    def literals(self) -> frozenset[Literal] | None:
        """P and N as literals; None if there is no closure or it is unknown."""
        if not (self.decided and self.solvable):
            return None
        return literals(self.positive) | {Literal(fact, False) for fact in self.negative}


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of a closure: explored states, planner calls and seconds per call."""

    states: int = DEFAULT_LIMIT
    calls: int = 200
    seconds: float = 10.0


def close(
    domain: Domain, problem: Problem, rule: Rule | None = None, budget: Budget | None = None
) -> Closure:
    """Return the closure of the problem's goal.

    Args:
        domain: the problem's domain.
        problem: the problem.
        rule: the domain's own rule (``close_goal`` of its generator), whose results are trusted. It
            returns the fluent facts true in every reachable goal state, and None if it does not apply
            or the problem is unsolvable. It gets goals without their negative literals. Its
            result is used if they follow from it, or contradict it; then there is no plan.
        budget: limits for problems that the rule does not decide.
    """
    closure = close_quickly(domain, problem, rule)
    if closure is not None:
        return closure
    changing = frozenset(literal for literal in problem.goal if literal.atom[0] in domain.fluents)
    problem = replace(problem, goal=changing)
    if rule and (closure := _without_idle(domain, problem, rule)):
        return closure
    return close_task(ground(domain, problem), budget or Budget())


def _without_idle(domain: Domain, problem: Problem, rule: Rule) -> Closure | None:
    """Return the rule's closure of the positive goal, if it provably implies each negative literal.

    Then the goal states are those of the positive goal.
    """
    banned = problem.goal - literals(problem.goal_facts)
    facts = rule(positively(problem)) if banned else None
    if facts is None:
        return None
    extended = (replace(problem, goal=literals(facts | {literal.atom})) for literal in sorted(banned))
    implied = all(refuted(ground(domain, with_literal)) for with_literal in extended)
    return Closure(True, Proof.UNSOLVABILITY, facts) if implied else None


def positively(problem: Problem, *facts: Atom) -> Problem:
    """Return the problem without the negative literals of its goal, and with additional goal facts."""
    return replace(problem, goal=literals(problem.goal_facts.union(facts)))


def close_quickly(domain: Domain, problem: Problem, rule: Rule | None = None) -> Closure | None:
    """Return the closure if static facts or the rule decide it, otherwise None; see ``close``."""
    fluents = domain.fluents
    static = [literal for literal in problem.goal if literal.atom[0] not in fluents]
    if static:
        if not all(literal.holds(problem.init) for literal in static):
            return Closure(False, Proof.DELETE_RELAXATION)
        problem = replace(problem, goal=problem.goal.difference(static))
    return _by_rule(rule, problem) if rule else None


def shared_facts(domain: Domain, problem: Problem, budget: Budget, plan: Steps | None = None) -> State | None:
    """Return a superset of the closure's fluent facts: the common facts of some easily found goal states.

    Return None if no goal state is reached. States near the first goal state exclude most facts; ``plan``
    leads to one.
    """
    moving = frozenset(literal for literal in problem.goal if literal.atom[0] in domain.fluents)
    task = ground(domain, replace(problem, goal=moving))
    few = min(budget.states, _FEW_STATES)
    states = run(task, plan) if plan else None
    space = explore(replace(task, init=states[-1]) if states else task, limit=few)
    if not (space.complete or space.goal_intersection() or refuted(task)) and budget.calls:
        state = _goal_state(task, budget.seconds)
        space = space if state is None else explore(replace(task, init=state), limit=few)
    met = space.goal_intersection()
    return _closure(task, met[0], 0, Proof.WITNESS).positive if met else None


def _goal_state(task: PlanningTask, seconds: float) -> int | None:
    """Return a goal state found by the planner, if it is installed and finds one in time."""
    try:
        plan = solve(task, seconds=seconds).plan
    except ToolMissing:
        return None  # this result is optional, because the closure may still be explored
    states = run(task, plan.steps) if plan else None
    return states[-1] if states else None


def close_task(task: PlanningTask, budget: Budget) -> Closure:
    """Return the closure of a grounded problem, by exhaustive search or by planner calls."""
    if task.goal_positive & ~(task.init | union(action.add for action in task.actions)):
        return Closure(False, Proof.DELETE_RELAXATION)
    space = explore(task, limit=min(budget.states, _FEW_STATES))
    if not space.complete:
        if why := refuted(task):
            return Closure(False, why)
        space = explore(task, limit=budget.states)
    if space.complete:
        return _by_exhaustion(space)
    goal_states = WitnessedStates(space.goal_intersection())
    try:
        masks = close_by_planner(task, goal_states, budget.calls, budget.seconds)
    except Undecided as undecided:
        return Closure(None if goal_states.is_empty else True, f"undecided: {undecided}", decided=False)
    if masks is None:
        return Closure(False, Proof.UNSOLVABILITY)
    return _closure(task, *masks, Proof.UNSOLVABILITY)


def _by_rule(rule: Rule, problem: Problem) -> Closure | None:
    """Return the rule's closure with an empty N, because goals with negative literals need search.

    If the goal's negative literals contradict the closure of its positive ones, there is no plan.
    """
    banned = [literal.atom for literal in problem.goal if not literal.positive]
    facts = rule(positively(problem) if banned else problem)
    if facts is None or not facts.isdisjoint(banned):
        return None if facts is None else Closure(False, RULE)
    return None if banned else Closure(True, RULE, facts)


def _by_exhaustion(space: ReachedStates) -> Closure:
    """Return the closure by its definition, over all states."""
    task = space.task
    shared = space.goal_intersection()
    if shared is None:
        return Closure(False, Proof.EXHAUSTION)
    always, sometimes = shared
    if not task.goal_negative:
        return _closure(task, always, 0, Proof.EXHAUSTION)
    extended = space.intersection(always, 0)
    assert extended is not None  # the goal states are among these
    return _closure(task, always, extended[1] & ~sometimes, Proof.EXHAUSTION)


def _closure(task: PlanningTask, positive: int, negative: int, proof: Proof) -> Closure:
    """Return the closure of two masks, fluent facts only."""
    fluents = task.domain.fluents
    facts = frozenset(fact for fact in task.facts_of(positive) if fact[0] in fluents)
    return Closure(True, proof, facts, task.facts_of(negative))
