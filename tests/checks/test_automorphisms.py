"""Of the permutations that are found all others are made up; brute force says which there are."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.checks import automorphisms
from orrery.checks.automorphisms import ObjectGraph, OutOfWork, generators, graph_of, same
from tests.effort import slow

NAMES = "abcde"


@st.composite
def structures(draw):
    """Up to five objects with labels, and facts of up to three arguments, one object twice perhaps."""
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    labels = {name: draw(st.sampled_from("xy")) for name in names}
    arguments = st.lists(st.sampled_from(names), min_size=1, max_size=3).map(tuple)
    facts = draw(st.lists(st.tuples(st.sampled_from("pq"), arguments), max_size=8, unique=True))
    return ObjectGraph(labels, facts)


def maps_by_brute_force(structure, image):
    """All orders of the objects that take a structure to its image, which has the same objects."""
    names, facts = list(structure.objects), set(image.facts)
    for order in permutations(range(len(names))):
        move = {name: names[place] for name, place in zip(names, order, strict=True)}
        if all(structure.objects[name] == image.objects[move[name]] for name in names) and facts == {
            (label, tuple(move[name] for name in arguments)) for label, arguments in structure.facts
        }:
            yield order


def made_up_of(generators_, count):
    """All products of some permutations."""
    products = {tuple(range(count))}
    waiting = list(products)
    while waiting:
        product_read = waiting.pop()
        for factor in generators_:
            product = tuple(factor[place] for place in product_read)
            if product not in products:
                products.add(product)
                waiting.append(product)
    return products


@given(structures())
def test_all_that_keep_a_structure_are_made_up_of_those_found(structure):
    count, graph = len(structure.objects), graph_of(structure)
    moves = [tuple(move[place] for place in range(count)) for move in generators(graph)]
    assert made_up_of(moves, count) == set(maps_by_brute_force(structure, structure))
    assert tuple(range(count)) not in moves


@given(structures(), st.data())
def test_two_structures_are_the_same_where_a_permutation_maps_one_to_the_other(structure, data):
    """One is the other renamed, with one of its objects in another place perhaps."""
    names = list(structure.objects)
    move = dict(zip(names, data.draw(st.permutations(names)), strict=True))
    facts = [(label, tuple(move[name] for name in arguments)) for label, arguments in structure.facts]
    if facts and data.draw(st.booleans()):
        label, arguments = facts.pop()
        facts = sorted({*facts, (label, (data.draw(st.sampled_from(names)), *arguments[1:]))})
    labels = {move[name]: label for name, label in structure.objects.items()}
    image = ObjectGraph({name: labels[name] for name in names}, facts)
    assert same(graph_of(structure), graph_of(image)) == any(maps_by_brute_force(structure, image))


def ring(length):
    names = [f"n{number}" for number in range(length)]
    facts = [("next", (first, second)) for first, second in zip(names, [*names[1:], names[0]], strict=True)]
    return ObjectGraph(dict.fromkeys(names, "x"), facts)


@slow
def test_large_groups_take_little_work():
    """The turns of a ring; and twenty objects alike, whose permutations nobody could go through."""
    assert len(list(generators(graph_of(ring(40))))) == 39
    alike = ObjectGraph({f"n{number}": "x" for number in range(20)}, [])
    assert len(list(generators(graph_of(alike)))) == 20 * 19 // 2


@slow
def test_a_deep_search_ends():
    alike = graph_of(ObjectGraph({f"n{number}": "x" for number in range(400)}, []))
    assert same(alike, alike) is True


def path(length, marked_place):
    names = [f"n{number}" for number in range(length)]
    labels = dict.fromkeys(names, "x") | {names[marked_place]: "y"}
    return ObjectGraph(labels, [("next", pair) for pair in pairwise(names)])


def test_every_round_of_refinement_is_counted(monkeypatch):
    """Refinement of a path takes many rounds, and two rings differ from one only after many rounds."""
    with pytest.raises(OutOfWork):
        list(generators(graph_of(path(200, 0)), work=10_000))
    halves = [(label, tuple(part + name for name in pair)) for part in "ab" for label, pair in ring(40).facts]
    two_rings = ObjectGraph({name: "x" for _, pair in halves for name in pair}, halves)
    monkeypatch.setattr(automorphisms, "WORK", 100_000)
    assert same(graph_of(ring(80)), graph_of(two_rings)) is None


def test_two_graphs_are_refined_until_they_differ(monkeypatch):
    monkeypatch.setattr(automorphisms, "WORK", 1_000)
    assert same(graph_of(path(200, 0)), graph_of(path(200, 100))) is False


def test_work_is_counted(monkeypatch):
    with pytest.raises(OutOfWork):
        list(generators(graph_of(ring(30)), work=1000))
    monkeypatch.setattr(automorphisms, "WORK", 100)
    assert same(graph_of(ring(30)), graph_of(ring(30))) is None
