"""Search for an isomorphism of structures that maps given facts into others.

A structure has objects and facts. Given two structures (of a problem and itself, for symmetries), the search
finds an isomorphism that maps certain additional facts into a set of facts, and others out of it. Variables
are the objects of the first structure in those facts, and objects linked to them by its facts of two or more
arguments (facts of three or more are variables too, see ``graph``). The values of a variable are the
vertices of the corresponding cell in the second structure. Domains of values are bit sets,
kept consistent along each fact. If only different values for different variables are required,
a bipartite matching decides. Of interchangeable values in the second structure, one is tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from orrery.equivalence.canonical import exceptions, outline_of
from orrery.equivalence.graph import Adjacency, Graph, Partition, Undecided, Vertex, problem_graph, refined
from orrery.equivalence.keys import form_of
from orrery.model import Atom, Domain, Problem, State
from orrery.planning.task import bits

GOAL_BUDGET = 400
_Row: TypeAlias = tuple[int, ...]
_Domains: TypeAlias = dict[int, int]


@dataclass(frozen=True, slots=True)
class Structure:
    """A problem's objects with some facts, refined."""

    graph: Graph
    partition: Partition
    index: dict[Vertex, int]

    @property
    def outline(self) -> Hashable:
        """An invariant of isomorphic structures, computed without search."""
        colours = [self.graph.colours[cell[0]] for cell in self.partition]
        return self.graph.header, tuple(colours), outline_of(self.graph.adjacency, self.partition)


def structure(domain: Domain, problem: Problem, facts: Collection[Atom]) -> Structure:
    """Return the structure of the problem's objects, the domain's constants and ``facts``."""
    graph = problem_graph(domain, problem, {"kept": facts})
    return Structure(graph, refined(graph), {vertex: i for i, vertex in enumerate(graph.vertices)})


def embeds(
    source: Structure,
    target: Structure,
    facts: State,
    wanted: Collection[Atom],
    unwanted: Collection[Atom],
    budget: int,
) -> bool:
    """Return whether an isomorphism maps ``wanted`` into ``facts``, and ``unwanted`` out of them.

    ``wanted`` and ``unwanted`` are facts over the objects of ``source``, ``facts`` over those of
    ``target``.

    Raises:
        Undecided: more than ``budget`` values would have to be tried.
    """
    if source is not target and source.outline != target.outline:
        return False
    literals = [
        _literal(fact, sign, facts, source.index, target.index)
        for atoms, sign in ((wanted, True), (unwanted, False))
        for fact in sorted(atoms)
    ]
    return _EmbeddingSearch(literals, source, target, budget).run()


def enough(wanted: Collection[Atom], facts: State) -> bool:
    """Return whether there are enough ``facts``: for each predicate, and for each object.

    An isomorphism maps the facts of an object to different facts of one object. So the objects' numbers
    of wanted facts, sorted, must not exceed the sorted numbers of available facts.
    """
    needed = Counter(fact[0] for fact in wanted)
    candidates = [fact for fact in facts if fact[0] in needed]
    available = Counter(fact[0] for fact in candidates)
    if any(available[name] < count for name, count in needed.items()):
        return False
    needs, has = _degrees(wanted), _degrees(candidates)
    return all(
        len(degrees) <= len(has[place]) and all(map(int.__le__, degrees, has[place]))
        for place, degrees in needs.items()
    )


def _degrees(facts: Collection[Atom]) -> dict[tuple[str, int], list[int]]:
    """Return, by predicate and position, the number of facts of each object there, largest first."""
    counts = Counter([(fact[0], i, fact[i]) for fact in facts for i in range(1, len(fact))])
    degrees: dict[tuple[str, int], list[int]] = {}
    for (name, position, _), count in counts.items():
        degrees.setdefault((name, position), []).append(count)
    for counts_of_place in degrees.values():
        counts_of_place.sort(reverse=True)
    return degrees


@dataclass(frozen=True, slots=True)
class _Literal:
    """A literal of the goal: its distinct variables, and the values for which its fact holds.

    ``kind`` identifies the table: literals of one kind have the same.
    """

    scope: _Row
    table: frozenset[_Row]
    kind: Hashable
    positive: bool


def _literal(
    fact: Atom, positive: bool, facts: State, source: dict[Vertex, int], target: dict[Vertex, int]
) -> _Literal:
    """Return the literal of a fact. Its table has only rows that are equal where its arguments are."""
    first = [fact.index(name, 1) for name in fact[1:]]
    places = sorted(set(first))
    rows = [candidate for candidate in facts if candidate[0] == fact[0]]
    fitting = [row for row in rows if all(row[i] == row[j] for i, j in enumerate(first, 1))]
    table = frozenset(tuple([target[row[i]] for i in places]) for row in fitting)
    return _Literal(tuple([source[fact[i]] for i in places]), table, (fact[0], *first), positive)


class _EmbeddingSearch:
    """Backtracking over domains that are kept consistent."""

    def __init__(self, literals: list[_Literal], source: Structure, target: Structure, budget: int) -> None:
        self.literals = literals
        self.budget = self.steps_left = budget
        self.bound = exceptions(source.graph.adjacency, source.partition)
        self.images = self.bound
        if target is not source:
            self.images = exceptions(target.graph.adjacency, target.partition)
        self.cells = _values(source.partition, target.partition, literals, self.bound)
        self.about: dict[int, list[_Literal]] = {v: [] for v in self.cells}
        for literal in literals:
            for v in literal.scope:
                self.about[v].append(literal)
        self.signatures = _signatures(literals, self.images)
        self.supports: dict[Hashable, int] = {}

    def run(self) -> bool:
        """Return whether there is a solution."""
        if any(not literal.scope and bool(literal.table) != literal.positive for literal in self.literals):
            return False
        domains = dict(self.cells)
        settled = [v for v, values in domains.items() if not values & (values - 1)]
        return self._narrow(domains, list(self.literals), settled) and self._solve(domains)

    def _solve(self, domains: _Domains) -> bool:
        """Return whether consistent ``domains`` contain a solution."""
        if not _matchable(domains):
            return False
        variable = self._open_variable(domains)
        if variable is None:
            return True
        signatures: set[Hashable] = set()
        for value in bits(domains[variable]):
            signature = self.signatures.get(value)
            if signature in signatures:
                continue
            signatures.add(signature)
            if not self.steps_left:
                raise Undecided(f"matching the goal takes more than {self.budget} steps of search")
            self.steps_left -= 1
            trial = {**domains, variable: 1 << value}
            if self._narrow(trial, list(self.about[variable]), [variable]) and self._solve(trial):
                return True
        return False

    def _open_variable(self, domains: _Domains) -> int | None:
        """Return, among the variables with literals, one with fewest values and most literals."""
        ambiguous = {v for v, values in domains.items() if values & (values - 1)}
        entangled = {v for v in ambiguous if self.bound[v]}
        for literal in self.literals:
            free = [v for v in literal.scope if v in ambiguous]
            if len(free) > 1:
                entangled.update(free)
        return min(entangled, key=lambda v: (domains[v].bit_count(), -len(self.about[v]), v), default=None)

    def _narrow(self, domains: _Domains, todo: list[_Literal], settled: list[int]) -> bool:
        """Remove inconsistent values; return False if a variable has no value left.

        ``todo`` are literals to check, ``settled`` variables that now have a single value.
        """
        while todo or settled:
            if settled:
                changes = self._by_value(domains, settled.pop())
            else:
                changes = self._by_literal(domains, todo.pop())
            for v, values in changes:
                if not values:
                    return False
                domains[v] = values
                todo += self.about[v]
                if not values & (values - 1):
                    settled.append(v)
        return True

    def _by_value(self, domains: _Domains, variable: int) -> list[tuple[int, int]]:
        """Return the values that other variables lose once this variable has a single value.

        They lose that value itself, and the values whose relations to it differ.
        """
        value = domains[variable]
        row, image = self.bound[variable], self.images[value.bit_length() - 1]
        related: dict[int, int] = {}
        for u, relation in image.items():
            related[relation] = related.get(relation, 0) | 1 << u
        unrelated = ~sum(related.values())
        changes = []
        for v, values in domains.items():
            narrowed = values if v == variable else values & ~value
            if row and self.bound[v] and v != variable:
                narrowed &= related.get(row[v], 0) if v in row else unrelated
            if narrowed != values:
                changes.append((v, narrowed))
        return changes

    def _by_literal(self, domains: _Domains, literal: _Literal) -> list[tuple[int, int]]:
        """Return the domains that a literal reduces."""
        changes = []
        masks = [domains[v] for v in literal.scope]
        for place, v in enumerate(literal.scope):
            other_masks = (*masks[:place], *masks[place + 1 :])
            if literal.positive:
                narrowed = masks[place] & self._support(literal, place, other_masks)
            elif all(not mask & (mask - 1) for mask in other_masks):
                narrowed = masks[place] & ~self._support(literal, place, other_masks)
            else:
                continue
            if narrowed != masks[place]:
                changes.append((v, narrowed))
                masks[place] = narrowed
        return changes

    def _support(self, literal: _Literal, place: int, other_masks: _Row) -> int:
        """Return the values at ``place`` of the rows whose other values are in the sets ``other_masks``."""
        key = (literal.kind, place, other_masks)
        if key not in self.supports:
            values = 0
            for row in literal.table:
                other_values = (*row[:place], *row[place + 1 :])
                if all(mask >> value & 1 for mask, value in zip(other_masks, other_values, strict=True)):
                    values |= 1 << row[place]
            self.supports[key] = values
        return self.supports[key]


def _values(source: Partition, target: Partition, literals: list[_Literal], bound: Adjacency) -> _Domains:
    """Return the variables, ascending, with the vertices of the corresponding cell as a bit set."""
    variables = {v for literal in literals for v in literal.scope}.union(
        v for v, row in enumerate(bound) if row
    )
    cells: _Domains = {}
    for cell, image in zip(source, target, strict=True):
        values = sum([1 << v for v in image])
        cells.update((v, values) for v in cell if v in variables)
    return dict(sorted(cells.items()))


def _signatures(literals: list[_Literal], bound: Adjacency) -> dict[int, Hashable]:
    """Return, by value, all literals on it; values with equal ones are interchangeable.

    A value of which nothing is said has none.
    """
    relations_of: dict[int, set[Hashable]] = {}
    for kind, table in {literal.kind: literal.table for literal in literals}.items():
        for row in table:
            for value in set(row):
                relations_of.setdefault(value, set()).add((kind, *(None if v == value else v for v in row)))
    for value, relations in enumerate(bound):
        if relations:
            relations_of.setdefault(value, set()).update(relations.items())
    return {value: frozenset(facts) for value, facts in relations_of.items()}


def _matchable(domains: _Domains) -> bool:
    """Return whether each variable can have a different value (augmenting paths)."""
    owner: dict[int, int] = {}

    def place(variable: int, seen: set[int]) -> bool:
        values = bits(domains[variable])
        for value in values:
            if value not in owner:
                owner[value] = variable
                return True
        for value in values:
            if value not in seen:
                seen.add(value)
                if place(owner[value], seen):
                    owner[value] = variable
                    return True
        return False

    return all(place(v, set()) for v in sorted(domains, key=lambda v: domains[v].bit_count()))


def goal_holds_permuted(domain: Domain, problem: Problem, budget: int = GOAL_BUDGET) -> bool:
    """Return whether some permutation of the objects maps the goal to one that holds initially.

    The permutations preserve types, constants and static facts; they need not preserve the reachable
    states. Counting usually decides: if the goal requires more facts of some object than any object has, by
    predicate and position, it holds under no permutation. If the goal requires as many facts as there are, it
    holds under one iff both are isomorphic. Otherwise a search for an embedding decides.

    Raises:
        Undecided: more than ``budget`` assignments would have to be tried.
    """
    fluents, init = domain.fluents, problem.init
    changing = [literal for literal in problem.goal if literal.atom[0] in fluents]
    fixed = [literal for literal in problem.goal if literal.atom[0] not in fluents]
    if not all(literal.holds(init) for literal in fixed):
        return False
    wanted = [atom for atom, positive in changing if positive]
    if all(literal.holds(init) for literal in changing):
        return True
    unwanted = [atom for atom, positive in changing if not positive]
    if not enough(wanted, init):
        return False
    static = [fact for fact in init if fact[0] not in fluents]
    if not unwanted and len(wanted) + len(static) == len(init):
        with suppress(Undecided):  # the embedding may still decide
            permuted = frozenset([*static, *wanted])
            forms = [form_of(domain, problem, {"facts": facts}) for facts in (init, permuted)]
            return forms[0].certificate == forms[1].certificate
    static_structure = structure(domain, problem, static)
    return embeds(static_structure, static_structure, init, wanted, unwanted, budget)
