"""Decide whether a goal holds initially under some permutation of objects: trivial placeholder problems.

The permutations are those of the problem's objects that preserve types, constants and static
facts. Counting usually decides: if the goal requires more facts of some object than any object has, by
predicate and position, it holds under no permutation. If the goal requires as many facts as there are, it
holds under one iff both are isomorphic. Otherwise a search for an embedding decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from operator import itemgetter
from typing import TypeAlias

from orrery.equivalence.embedding import embeds, enough, structure
from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import form_of
from orrery.model import Domain, Problem, State

BUDGET = 400
_predicate = itemgetter(0)

IsLikeInit: TypeAlias = Callable[[State], bool]


def goal_holds_permuted(
    domain: Domain, problem: Problem, budget: int = BUDGET, is_like_init: IsLikeInit | None = None
) -> bool:
    """Return whether some permutation of the objects maps the goal to one that holds initially.

    The permutations preserve types, constants and static facts; they need not preserve the reachable
    states. ``is_like_init`` returns whether facts equal the initial state up to names, for callers
    with a faster test.

    Raises:
        Undecided: more than ``budget`` assignments would have to be tried.
    """
    fluents, init = domain.fluents, problem.init
    changing = [literal for literal in problem.goal if literal.atom[0] in fluents]
    fixed = [literal for literal in problem.goal if literal.atom[0] not in fluents]
    if not all(literal.holds(init) for literal in fixed):
        return False
    wanted = [atom for atom, positive in changing if positive]
    needed, available = Counter(map(_predicate, wanted)), Counter(map(_predicate, init))
    if any(available[name] < count for name, count in needed.items()):
        return False
    if all(literal.holds(init) for literal in changing):
        return True
    unwanted = [atom for atom, positive in changing if not positive]
    static = [fact for fact in init if fact[0] not in fluents]
    if not unwanted and len(wanted) + len(static) == len(init):
        with suppress(Undecided):  # the embedding may still decide
            return (is_like_init or _IsLikeInit(domain, problem))(frozenset([*static, *wanted]))
    if not enough(wanted, init):
        return False
    static_structure = structure(domain, problem, static)
    return embeds(static_structure, static_structure, init, wanted, unwanted, budget)


class _IsLikeInit:
    """Compares canonical forms of the problem's objects with its initial state, and with other facts."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        self.domain, self.problem = domain, problem

    def __call__(self, facts: State) -> bool:
        init, renamed = (
            form_of(self.domain, self.problem, {"facts": layer}) for layer in (self.problem.init, facts)
        )
        return init.certificate == renamed.certificate
