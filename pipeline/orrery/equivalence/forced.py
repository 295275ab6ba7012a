"""Facts that invariants force to be true in every goal state, proven without search.

h2 names facts that cannot be true beside the goal. A *clause* is a set of facts of which at least one
is true in every reachable state. A clause whose other members are all false in the goal forces the
remaining one. Clauses are grown from that fact: whenever an action deletes members and adds none, a
fact that it adds joins (the balancing of Helmert, "Concise finite-domain representations for PDDL
planning tasks", 2009, on ground facts and for "at least one" only).
"""

from __future__ import annotations

from orrery.semantics.relaxation import pair_reachability
from orrery.semantics.task import GroundAction, PlanningTask, bits

_MOST_TRIALS = 50


def forced_facts(task: PlanningTask) -> int:
    """The goal's facts, and facts that are true in every reachable goal state by an invariant.

    Every fact named is one; more may exist. Where the goal is unreachable any answer is right.
    """
    pairs = pair_reachability(task, task.init)
    actions = [action for action in task.actions if pairs.allows(action)]
    every = (1 << len(task.facts)) - 1
    forced, grown = task.goal_positive, True
    while grown:
        grown = False
        possible = pairs.facts & ~task.goal_negative
        for fact in bits(forced):
            possible &= pairs.together[fact]
        for fact in bits(possible & ~forced):
            if _clause(actions, task.init, 1 << fact, every & ~possible):
                forced |= 1 << fact
                grown = True
    return forced


def _clause(actions: list[GroundAction], init: int, fact: int, false: int) -> bool:
    """Whether ``fact`` with some of the facts ``false`` makes a clause; False where none is found."""
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
    """``members`` with all that must join, and a choice of joiners for an action still unbalanced.

    The choice is 0 where no action can empty the clause; None where some action must.
    """
    grown = True
    while grown:
        grown, choice = False, 0
        for action in actions:
            kept = action.positive & ~action.delete | action.add
            if action.delete & members and not kept & members:
                joiners = action.add & false
                if not joiners:
                    return None
                if joiners & (joiners - 1):
                    choice = joiners
                else:
                    members |= joiners
                    grown = True
    return members, choice
