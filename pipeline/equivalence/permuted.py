"""Whether a goal already holds once its objects change places: placeholder problems with nothing to plan.

The permutations meant are those of the problem's objects that preserve types, constants and static
facts. Nearly always counting decides: a goal that asks more of some object than any object has, by
predicate and position, holds under no permutation. The rest is a search for an embedding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pipeline.equivalence.embedding import embeds, structure
from pipeline.equivalence.outcome import Undecided
from pipeline.model import Atom, Domain, Problem

BUDGET = 400


def goal_holds_permuted(domain: Domain, problem: Problem, budget: int = BUDGET) -> bool | Undecided:
    """Whether some permutation of the objects maps the goal to one that holds initially.

    The permutations preserve types, constants and static facts; whether they preserve the reachable
    states is not asked. Undecided where more than ``budget`` assignments would have to be tried.
    """
    changing = frozenset(literal for literal in problem.goal if literal.atom[0] in domain.fluents)
    if not all(literal.holds(problem.init) for literal in problem.goal - changing):
        return False
    if all(literal.holds(problem.init) for literal in changing):
        return True
    wanted = [literal.atom for literal in changing if literal.positive]
    if not _enough(wanted, problem.init):
        return False
    unwanted = [literal.atom for literal in changing if not literal.positive]
    static = [fact for fact in problem.init if fact[0] not in domain.fluents]
    kept = structure(domain, problem, static)
    return embeds(kept, kept, problem.init, wanted, unwanted, budget)


def _enough(wanted: list[Atom], init: Iterable[Atom]) -> bool:
    """Whether ``init`` has as many facts as are wanted: of each predicate, and of each object.

    A permutation maps the facts of an object to different facts of one object. So the objects' numbers
    of wanted facts, sorted, must not exceed the sorted numbers of facts that there are.
    """
    asked = Counter(fact[0] for fact in wanted)
    there = [fact for fact in init if fact[0] in asked]
    given = Counter(fact[0] for fact in there)
    if any(given[name] < count for name, count in asked.items()):
        return False
    needs, has = _degrees(wanted), _degrees(there)
    return all(
        len(degrees) <= len(has[place]) and all(map(int.__le__, degrees, has[place]))
        for place, degrees in needs.items()
    )


def _degrees(facts: list[Atom]) -> dict[tuple[str, int], list[int]]:
    """By predicate and position, how many facts each object has there; most first."""
    counts = Counter([(fact[0], i, fact[i]) for fact in facts for i in range(1, len(fact))])
    degrees: dict[tuple[str, int], list[int]] = {}
    for (name, position, _), count in counts.items():
        degrees.setdefault((name, position), []).append(count)
    for found in degrees.values():
        found.sort(reverse=True)
    return degrees
