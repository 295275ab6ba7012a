"""Check that a problem is not trivial: the goal must not hold initially, nor after an exchange of objects.

In placeholder rows, the objects of the goal may be exchanged if types, constants and static facts are kept.
Counting and colour refinement exclude nearly all such exchanges. A search decides the others: it maps the
facts of the goal to facts of the initial state one by one. The column that is checked comes from
``equivalence``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from orrery.checks.automorphisms import ObjectGraph, graph_of, same
from orrery.model import Atom, Domain, Problem

Place: TypeAlias = tuple[str, int]  # a predicate, and the position of an argument

STEPS = 20_000


def holds(domain: Domain, problem: Problem, exchangeable: bool, steps: int = STEPS) -> bool | None:
    """Return whether the goal holds initially; None if ``steps`` attempts to map a fact did not decide it.

    If ``exchangeable``, return whether it holds for some admissible permutation of objects.
    """
    if problem.satisfied(problem.init) or not exchangeable:
        return problem.satisfied(problem.init)
    changing = [literal for literal in problem.goal if literal.atom[0] in domain.fluents]
    static = problem.goal.difference(changing)
    if not all(literal.holds(problem.init) for literal in static):
        return False  # a permutation that keeps the static facts does not change this
    goal_facts = frozenset(literal.atom for literal in changing if literal.positive)
    if any(_too_many(place, goal_facts, problem.init) for place in _places(goal_facts)):
        return False
    unwanted = sorted(literal.atom for literal in changing if not literal.positive)
    static_facts = [fact for fact in problem.init if fact[0] not in domain.fluents]
    now = problem.init.difference(static_facts)
    if len(goal_facts) == len(now) and not unwanted:  # a whole state
        graphs = (graph_of(_structure(problem, static_facts, facts)) for facts in (now, goal_facts))
        return same(*graphs)
    return _GoalEmbedding(domain, problem, unwanted, steps).exists([*goal_facts, *static_facts])


def _places(facts: Iterable[Atom]) -> set[Place]:
    return {(fact[0], place) for fact in facts for place in range(1, len(fact))}


def _too_many(place: Place, goal_facts: frozenset[Atom], init: frozenset[Atom]) -> bool:
    """Return whether objects occur at a place in more facts of the goal than of the initial state."""
    predicate, position = place
    wanted, initial = (
        sorted(Counter(fact[position] for fact in facts if fact[0] == predicate).values(), reverse=True)
        for facts in (goal_facts, init)
    )
    return len(wanted) > len(initial) or any(a > b for a, b in zip(wanted, initial, strict=False))


def _structure(problem: Problem, static_facts: Iterable[Atom], facts: Iterable[Atom]) -> ObjectGraph:
    objects = {typed.name: " ".join(typed.types) for typed in problem.objects}
    marked = [("static", static_facts), ("changing", facts)]
    return ObjectGraph(objects, [(f"{mark} {atom[0]}", atom[1:]) for mark, atoms in marked for atom in atoms])


def _twins(facts: Iterable[Atom], types: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """Return a key that is equal for objects that can be exchanged without any other change."""
    stands: dict[str, set[Atom]] = {name: set() for name in types}
    for fact in facts:
        for name in stands.keys() & set(fact[1:]):
            stands[name].add((fact[0], *("" if argument == name else argument for argument in fact[1:])))
    return {name: (types[name], frozenset(facts)) for name, facts in stands.items()}


@dataclass
class _GoalEmbedding:
    """Maps the goal facts and the static facts to facts of the state, and names to names consistently."""

    domain: Domain
    problem: Problem
    unwanted: list[Atom]
    steps: int
    spent: bool = False

    def __post_init__(self) -> None:
        self.there: dict[str, list[Atom]] = defaultdict(list)
        for fact in sorted(self.problem.init):
            self.there[fact[0]].append(fact)
        self.types = {typed.name: typed.types for typed in self.problem.objects}
        self.twin = _twins(self.problem.init, self.types)

    def exists(self, facts: Iterable[Atom]) -> bool | None:
        """Return whether such a mapping exists; None if the steps are used up or it is not conclusive."""
        constants = {typed.name: typed.name for typed in self.domain.constants}
        ordered = self._ordered(facts, set(constants))
        return self._extend(ordered, constants) or (None if self.spent else False)

    def _ordered(self, facts: Iterable[Atom], bound: set[str]) -> list[Atom]:
        """Return the facts in the order of fewest new names, then of rarest predicate."""
        remaining, ordered = sorted(set(facts)), []
        while remaining:
            best = min(remaining, key=lambda f: (len(set(f[1:]) - bound), len(self.there[f[0]]), -len(f), f))
            remaining.remove(best)
            ordered.append(best)
            bound = bound | set(best[1:])
        return ordered

    def _extend(self, facts: list[Atom], mapping: dict[str, str]) -> bool:
        """Return whether all of ``facts`` can be mapped, given the names mapped so far."""
        if not facts:
            return self._allowed(mapping)
        for image in self._images(facts[0], mapping):
            self.steps -= 1
            self.spent |= self.steps <= 0
            if self.spent:
                return False
            if self._extend(facts[1:], mapping | dict(zip(facts[0][1:], image[1:], strict=True))):
                return True
        return False

    def _images(self, fact: Atom, mapping: dict[str, str]) -> Iterator[Atom]:
        """Yield the facts that ``fact`` can be mapped to, up to unused interchangeable objects."""
        used, seen = set(mapping.values()), set()
        for image in self.there[fact[0]]:
            new = {pair for pair in zip(fact[1:], image[1:], strict=True) if mapping.get(pair[0]) != pair[1]}
            image_class = tuple(to if to in used else self.twin[to] for to in image[1:])
            if image_class not in seen and self._fits(new, mapping, used):
                seen.add(image_class)
                yield image

    def _fits(self, new: set[tuple[str, str]], mapping: dict[str, str], used: set[str]) -> bool:
        """Return whether the unmapped names can be mapped to different free names of their types."""
        names, images = {name for name, _ in new}, {to for _, to in new}
        return (
            len(names) == len(images) == len(new)
            and names.isdisjoint(mapping)
            and images.isdisjoint(used)
            and all(self.types[name] == self.types[to] for name, to in new)
        )

    def _allowed(self, mapping: dict[str, str]) -> bool:
        """Return whether no excluded fact holds; a fact with an unmapped object remains open."""
        if not all(name in mapping for atom in self.unwanted for name in atom[1:]):
            self.spent = True
            return False
        images = {(atom[0], *(mapping[name] for name in atom[1:])) for atom in self.unwanted}
        return images.isdisjoint(self.problem.init)
