"""Goal closure where the states are too many: two bounds, then a planner call for each open fact.

The facts true in every goal state lie between a *lower bound* (the goal, and what invariants force)
and an *upper bound* (the intersection of the reachable goal states witnessed so far). For a fact in
between a planner is asked for a goal state without it: a plan lowers the upper bound, a proof that
there is none raises the lower one.

Invariants: facts that invariants force to be true in every goal state, proven without search.

h2 names facts that cannot be true together with the goal. A *clause* is a set of facts of which at least one
is true in every reachable state. A clause whose other members are all false in the goal forces the
remaining one. Clauses are grown from that fact: whenever an action deletes members and adds none, a
fact that it adds joins (the balancing of Helmert, "Concise finite-domain representations for PDDL
planning tasks", 2009, on ground facts and for "at least one" only).
"""

from __future__ import annotations

from dataclasses import replace

from orrery.equivalence.undecided import Undecided
from orrery.planning.fast_downward import solve
from orrery.planning.progression import run
from orrery.planning.relaxation import pair_reachability
from orrery.planning.task import GroundAction, PlanningTask, bits

_MOST_TRIALS = 50


class WitnessedStates:
    """States witnessed so far: the masks of the facts that all of them have, and that some of them have."""

    def __init__(self, masks: tuple[int, int] | None = None) -> None:
        """Start with the masks of states that were met before; None: with no state."""
        self.shared, self.sometimes = masks or (-1, 0)

    @property
    def is_empty(self) -> bool:
        """Whether no state is witnessed."""
        return self.shared == -1

    def add(self, state: int) -> None:
        """Take in one more state."""
        self.shared &= state
        self.sometimes |= state


def close_by_planner(
    task: PlanningTask, goal_states: WitnessedStates, calls: int, seconds: float
) -> tuple[int, int] | None:
    """Return the masks of P and N as ``closure`` defines them; None if there is no plan.

    Reachable goal states met on the way are added to ``goal_states``. At most ``calls`` planner calls of
    ``seconds`` each.

    Raises:
        Undecided: the calls are used up, or the planner does not know.
    """
    asker = _Asker(task, calls, seconds)
    if goal_states.is_empty and not asker.witness(task.goal_positive, task.goal_negative, goal_states):
        return None
    always = _always(task, asker, goal_states)
    return always, _excluded(task, asker, goal_states, always)


class _Asker:
    """Asks the planner for states, as often as it may."""

    def __init__(self, task: PlanningTask, calls: int, seconds: float) -> None:
        self.task, self.calls, self.seconds = task, calls, seconds

    def witness(self, positive: int, negative: int, seen: WitnessedStates) -> bool:
        """Return whether a state with all of ``positive`` and none of ``negative`` is reachable.

        The state found is put into ``seen``.

        Raises:
            Undecided: the calls are used up, or the planner does not know.
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
    """Return P: the facts of all reachable goal states; add goal states met on the way to ``goals``."""
    lower = forced_facts(task)
    while still_open := goals.shared & ~lower:
        fact = still_open & -still_open
        if not asker.witness(task.goal_positive, task.goal_negative | fact, goals):
            lower |= fact
    return goals.shared


def _excluded(task: PlanningTask, asker: _Asker, goals: WitnessedStates, always: int) -> int:
    """Return N: the facts that reachable states with ``always`` can have, but goal states cannot.

    Asked for the goal's own negative literals first: where none of those can hold together with ``always``,
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
    """Return the goal's facts, and facts that are true in every reachable goal state by an invariant.

    Every fact named is one; more may exist. Where the goal is unreachable any answer is right.
    """
    pairs = pair_reachability(task, task.init)
    actions = [action for action in task.actions if pairs.allows(action)]
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
    """Return whether ``fact`` with some of the facts ``false`` makes a clause; False where none is found."""
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

    The choice is 0 where no action can empty the clause; None where some action must.
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
