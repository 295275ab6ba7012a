"""Instances of composed domains: objects and initial facts by the rules of the mechanics."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise, product
from typing import TypeAlias

from orrery.composition.compose import Composition, law_values
from orrery.composition.mechanic import ANY, FactRule, Mechanic
from orrery.generator_kit import numbered, shuffled, typed
from orrery.model import Atom, Domain, TypedName
from orrery.pddl.write import parse_atom

Objects: TypeAlias = Mapping[str, Sequence[str]]
"""Objects by type; those of a type include those of its subtypes."""

CHORDS = 0.3  # further edges of a graph, as a share of its vertices
PLACE = "$place"


def draw_instance(
    composition: Composition, rng: random.Random, *, smallest: bool = False
) -> tuple[tuple[TypedName, ...], frozenset[Atom]]:
    """Return the objects and the initial state of an instance, in the names of the mechanics.

    ``smallest``: with as few objects of each type as the mechanics allow.
    """
    domain, names = composition.plain_domain, composition.pddl_names
    own = {
        kind: numbered(names.get(kind, kind), count)
        for kind, count in sorted(_counts(composition, rng, smallest).items())
    }
    objects = objects_by_type(domain, own)
    unplaced = {
        kind for mechanic in composition.mechanics.values() for kind in mechanic.rules.instance.unplaced
    }
    nowhere = {name for kind in unplaced for name in objects[kind]}
    facts: set[Atom] = set()
    for mechanic in _special_first(composition.mechanics.values()):
        for rule in mechanic.rules.instance.facts:
            for fact in _Drawn(domain, objects, nowhere, rng).facts(rule, facts):
                if not any(excludes(law, facts, fact) for law in composition.laws):
                    facts.add(fact)
    return typed(own), frozenset(facts)


def _special_first(mechanics: Iterable[Mechanic]) -> list[Mechanic]:
    """Return the mechanics, those last whose predicates others import: they place what is not placed yet."""
    listed = list(mechanics)
    imported = {predicate for mechanic in listed for predicate in mechanic.rules.imports}
    return sorted(listed, key=lambda mechanic: (bool(mechanic.provides & imported), mechanic.name))


def excludes(law: Sequence[Atom], facts: Iterable[Atom], fact: Atom) -> bool:
    """Return whether a law, which allows at most one of its facts, excludes a fact beside ``facts``."""
    values = law_values(law, fact)
    return values is not None and any(fact != one and law_values(law, one) == values for one in facts)


def _counts(composition: Composition, rng: random.Random, smallest: bool) -> dict[str, int]:
    """Return the number of objects of each type; of the limits of several mechanics the largest count."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    for mechanic in composition.mechanics.values():
        for kind, limits in mechanic.rules.instance.objects.items():
            ranges.setdefault(kind, []).append(limits)
    least = {kind: max(low for low, _ in limits) for kind, limits in sorted(ranges.items())}
    most = {kind: max(high for _, high in limits) for kind, limits in ranges.items()}
    return least if smallest else {kind: rng.randint(low, most[kind]) for kind, low in least.items()}


def objects_by_type(domain: Domain, own: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the objects of each type, including those of its subtypes."""
    return {
        typed_name.name: [
            name for kind, names in own.items() if typed_name.name in domain.ancestors[kind] for name in names
        ]
        for typed_name in domain.types
    }


def goal_templates(composition: Composition) -> list[Atom]:
    """Return the templates of goals of all mechanics."""
    return [parse_atom(goal) for mechanic in composition.mechanics.values() for goal in mechanic.rules.goals]


def matches(fact: Atom, template: Atom, objects: Objects) -> bool:
    """Return whether a fact is an instance of a template: ``$type`` stands for any object of the type."""
    return (
        len(fact) == len(template)
        and fact[0] == template[0]
        and all(
            argument in objects[wanted[1:]] if wanted.startswith(ANY) else argument == wanted
            for argument, wanted in zip(fact[1:], template[1:], strict=True)
        )
    )


class _Drawn:
    """The facts that rules give for some objects, with random choices."""

    def __init__(self, domain: Domain, objects: Objects, nowhere: Set[str], rng: random.Random) -> None:
        self._domain, self._objects, self._nowhere, self._rng = domain, objects, nowhere, rng

    def facts(self, rule: FactRule, known: Set[Atom]) -> Iterator[Atom]:
        """Yield the facts of a rule; ``known`` are those of earlier rules."""
        if rule.form == "complement":
            of = parse_atom(rule.of)[0]
            yield from (fact for fact in self._facts_of_template(rule.fact) if (of, *fact[1:]) not in known)
            return
        forms: Mapping[str, Callable[[FactRule], Iterator[Atom]]] = {
            "once": lambda one: iter([self._chosen(one.fact)]),
            "each": self._facts_of_rule,
            "all": lambda one: self._facts_of_template(one.fact),
            "pair": self._paired,
            "chain": self._chained,
            "top": lambda one: iter([self._end(one.fact, -1)]),
            "bottom": lambda one: iter([self._end(one.fact, 0)]),
            "graph": self._graph,
        }
        yield from forms[rule.form](rule)

    def _types(self, template: Atom) -> list[str]:
        """Return the type of each argument: that of ``$type``, or of the predicate's parameter."""
        parameters = self._domain.predicate_named[template[0]].parameters
        return [
            argument[1:] if argument.startswith(ANY) else parameter.types[0]
            for argument, parameter in zip(template[1:], parameters, strict=True)
        ]

    def _placed(self, kind: str, *, is_thing: bool) -> list[str]:
        return [name for name in self._objects[kind] if not (is_thing and name in self._nowhere)]

    def _chosen(self, template: Atom) -> Atom:
        return (template[0], *(self._rng.choice(self._objects[kind]) for kind in self._types(template)))

    def _facts_of_rule(self, rule: FactRule) -> Iterator[Atom]:
        """Yield a fact for every object of the variables, or for a random share; ``$type`` is chosen anew."""
        template, types = rule.fact, self._types(rule.fact)
        has_place = PLACE in template[1:]
        pools = [
            [ANY] if argument.startswith(ANY) else self._placed(kind, is_thing=has_place)
            for argument, kind in zip(template[1:], types, strict=True)
        ]
        combinations = list(product(*pools))
        if rule.share < 1 and combinations:
            number = max(1, round(rule.share * len(combinations)))
            combinations = sorted(self._rng.sample(combinations, number))
        for combination in combinations:
            chosen = (
                self._rng.choice(self._objects[kind]) if argument == ANY else argument
                for argument, kind in zip(combination, types, strict=True)
            )
            yield (template[0], *chosen)

    def _facts_of_template(self, template: Atom) -> Iterator[Atom]:
        for combination in product(*(self._objects[kind] for kind in self._types(template))):
            yield (template[0], *combination)

    def _paired(self, rule: FactRule) -> Iterator[Atom]:
        """Yield a fact for each object of the first type, with different second objects if they suffice."""
        first, second = (self._objects[kind] for kind in self._types(rule.fact))
        partners = shuffled(second, self._rng)
        for number, name in enumerate(first):
            yield (rule.fact[0], name, partners[number % len(partners)])

    def _chained(self, rule: FactRule) -> Iterator[Atom]:
        names = self._objects[self._types(rule.fact)[0]]
        yield from ((rule.fact[0], before, after) for before, after in pairwise(names))

    def _end(self, template: Atom, index: int) -> Atom:
        """Return the fact of the last or first object of ``$type``, with other arguments chosen at random."""
        arguments = [
            self._objects[kind][index] if argument.startswith(ANY) else self._rng.choice(self._objects[kind])
            for argument, kind in zip(template[1:], self._types(template), strict=True)
        ]
        return (template[0], *arguments)

    def _graph(self, rule: FactRule) -> Iterator[Atom]:
        """Yield the edges of a random graph in which every vertex reaches every other one."""
        predicate, names = rule.fact[0], shuffled(self._objects[self._types(rule.fact)[0]], self._rng)
        if rule.ways == "one":
            edges = set(zip(names, [*names[1:], names[0]], strict=True))
        else:
            edges = {(self._rng.choice(names[:number]), names[number]) for number in range(1, len(names))}
        for _ in range(round(CHORDS * len(names))):
            first, second = self._rng.sample(names, 2)
            edges.add((first, second))
        if rule.ways == "both":
            edges |= {(second, first) for first, second in edges}
        yield from ((predicate, first, second) for first, second in sorted(edges) if first != second)
