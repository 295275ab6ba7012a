"""Goals that already hold once objects change places: placeholder problems with nothing to plan.

The permutations meant are those of the problem's objects that preserve types, constants and static
facts. Nearly always counting decides: a goal that asks more of some object than any object has, by
predicate and position, holds under no permutation. The rest is a search for an embedding.
"""

from __future__ import annotations

from orrery.equivalence.embedding import embeds, enough, structure
from orrery.equivalence.undecided import Undecided
from orrery.model import Domain, Problem

BUDGET = 400


def goal_holds_permuted(domain: Domain, problem: Problem, budget: int = BUDGET) -> bool | Undecided:
    """Return whether some permutation of the objects maps the goal to one that holds initially.

    The permutations preserve types, constants and static facts; whether they preserve the reachable
    states is not asked. Undecided where more than ``budget`` assignments would have to be tried.
    """
    changing = frozenset(literal for literal in problem.goal if literal.atom[0] in domain.fluents)
    if not all(literal.holds(problem.init) for literal in problem.goal - changing):
        return False
    if all(literal.holds(problem.init) for literal in changing):
        return True
    wanted = [literal.atom for literal in changing if literal.positive]
    if not enough(wanted, problem.init):
        return False
    unwanted = [literal.atom for literal in changing if not literal.positive]
    static = [fact for fact in problem.init if fact[0] not in domain.fluents]
    kept = structure(domain, problem, static)
    return embeds(kept, kept, problem.init, wanted, unwanted, budget)
