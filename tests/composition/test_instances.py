"""Instances: objects and facts are as the rules of mechanics say, for any stream of random numbers."""

import random
from itertools import pairwise, product

import networkx as nx
import pytest

from orrery.composition.compose import Composition
from orrery.composition.instances import draw_instance, excludes, law_values, matches
from orrery.composition.mechanic import read_mechanics
from orrery.composition.theme import read_theme
from orrery.pddl.write import parse_atom
from tests.composition.compositions import SEED, THEMES, every_mechanic, kept
from tests.every_domain import ROOT

SUPPLIERS = {"at": "walking", "lies": "carrying"}


def composition_of(name):
    """A composition of a mechanic and those that supply what it imports, in some theme that names it."""
    mechanics = read_mechanics(ROOT)
    names, present = [name], set(mechanics[name].provides)
    for predicate, supplier in SUPPLIERS.items():
        if predicate not in present:
            names.append(supplier)
            present |= mechanics[supplier].provides
    themes = (read_theme(ROOT, theme, frozenset(mechanics)) for theme in THEMES)
    theme = next(one for one in themes if set(names) <= set(one.content.mechanics))
    return Composition(0, SEED, theme, {one: mechanics[one] for one in sorted(names)}, ())


def instances(composition, number):
    """Pairs of objects by type and facts."""
    for seed in range(number):
        objects, facts = draw_instance(composition, random.Random(seed))
        by_type = {typed.name: [] for typed in composition.plain_domain.types}
        for one in objects:
            [kind] = one.types
            for above in composition.plain_domain.ancestors[kind]:
                by_type.setdefault(above, []).append(one.name)
        yield by_type, facts


@every_mechanic
def test_facts_are_typed_and_keep_the_laws(name):
    composition = composition_of(name)
    predicates = composition.plain_domain.predicate_named
    for by_type, facts in instances(composition, 20):
        for fact in facts:
            parameters = predicates[fact[0]].parameters
            assert all(
                value in by_type[parameter.types[0]]
                for value, parameter in zip(fact[1:], parameters, strict=True)
            )
        for law in composition.laws:
            held = [values for fact in facts if (values := law_values(law, fact)) is not None]
            assert len(set(held)) == len(held), law


@every_mechanic
def test_the_numbers_of_objects_are_within_the_limits(name):
    composition = composition_of(name)
    limits = [mechanic.rules.instance.objects for mechanic in composition.mechanics.values()]
    for seed in range(10):
        counts = []
        for smallest in (True, False):
            objects, _ = draw_instance(composition, random.Random(seed), smallest=smallest)
            assert len({one.name for one in objects}) == len(objects)
            counts.append({kind: 0 for by_kind in limits for kind in by_kind})
            for one in objects:
                counts[-1][one.types[0]] += 1
        for kind in counts[0]:
            ranges = [by_kind[kind] for by_kind in limits if kind in by_kind]
            assert counts[0][kind] == max(low for low, _ in ranges)
            assert counts[0][kind] <= counts[1][kind] <= max(high for _, high in ranges)


@every_mechanic
def test_things_without_a_place_lie_nowhere(name):
    composition = composition_of(name)
    unplaced = [kind for one in composition.mechanics.values() for kind in one.rules.instance.unplaced]
    for by_type, facts in instances(composition, 10):
        nowhere = {one for kind in unplaced for one in by_type[kind]}
        assert not {fact[1] for fact in facts if fact[0] in ("lies", "holds")} & nowhere


def has_graph(rule, given, pools, facts):
    both_ways = rule.ways == "one" or all((b, a) in given for a, b in given)
    graph = nx.DiGraph(given)
    graph.add_nodes_from(pools[0])
    return nx.is_strongly_connected(graph) and both_ways and nx.number_of_selfloops(graph) == 0


def has_each(rule, given, pools, facts):
    """Of several objects a share has the fact; without a share all have it that may lie somewhere."""
    return bool(given) or not all(pools)


def has_complement(rule, given, pools, facts):
    of = {fact[1:] for fact in facts if fact[0] == parse_atom(rule.of)[0]}
    return set(given) >= set(product(*pools)) - of


HAS = {
    "graph": has_graph,
    "chain": lambda rule, given, pools, facts: set(pairwise(pools[0])) <= set(given),
    "all": lambda rule, given, pools, facts: set(given) >= set(product(*pools)),
    "complement": has_complement,
    "pair": lambda rule, given, pools, facts: {one[0] for one in given} >= set(pools[0]),
    "once": lambda rule, given, pools, facts: bool(given),
    "top": lambda rule, given, pools, facts: any(pools[0][-1] in one for one in given),
    "bottom": lambda rule, given, pools, facts: any(pools[0][0] in one for one in given),
    "each": has_each,
}


@every_mechanic
def test_each_rule_gives_its_facts(name):
    composition = composition_of(name)
    predicates = composition.plain_domain.predicate_named
    for rule in composition.mechanics[name].rules.instance.facts:
        kinds = [
            term[1:] if term.startswith("$") else parameter.types[0]
            for term, parameter in zip(rule.fact[1:], predicates[rule.fact[0]].parameters, strict=True)
        ]
        for by_type, facts in instances(composition, 10):
            given = [fact[1:] for fact in facts if fact[0] == rule.fact[0]]
            assert HAS[rule.form](rule, given, [by_type[kind] for kind in kinds], facts), rule


@pytest.mark.slow
def test_the_same_stream_gives_the_same_instance():
    composition = kept(0).composition
    first, second = (draw_instance(composition, random.Random(5)) for _ in range(2))
    assert first == second
    assert first != draw_instance(composition, random.Random(6))


LAW = [("lies", "?x", "?p"), ("holds", "?x")]


@pytest.mark.parametrize(
    ("fact", "facts", "excluded"),
    [
        (("holds", "a"), [("lies", "a", "p")], True),
        (("holds", "a"), [("lies", "b", "p")], False),
        (("lies", "a", "q"), [("lies", "a", "p")], True),
        (("lies", "a", "p"), [("lies", "a", "p")], False),
        (("lit", "a"), [("lies", "a", "p")], False),
        (("holds", "a"), [], False),
    ],
)
def test_a_law_excludes_a_second_fact(fact, facts, excluded):
    assert excludes(LAW, facts, fact) is excluded


def test_templates_of_goals():
    objects = {"place": ["p1", "p2"], "thing": ["t1"]}
    assert matches(("lies", "t1", "p2"), ("lies", "$thing", "$place"), objects)
    assert not matches(("lies", "p1", "p2"), ("lies", "$thing", "$place"), objects)
    assert not matches(("at", "p2"), ("lies", "$thing", "$place"), objects)
    assert matches(("learned",), ("learned",), objects)
