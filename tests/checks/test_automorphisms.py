"""Of the permutations that are found all others are made up; brute force says which there are."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.checks import graphs
from orrery.checks.automorphisms import OutOfWork, generators, isomorphic
from orrery.checks.graphs import ObjectGraph, graph_of

NAMES = "abcde"


@st.composite
def structures(draw):
    """Up to five objects with labels, and facts of up to three arguments, one object twice perhaps."""
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    labels = {name: draw(st.sampled_from("xy")) for name in names}
    arguments = st.lists(st.sampled_from(names), min_size=1, max_size=3).map(tuple)
    facts = draw(st.lists(st.tuples(st.sampled_from("pq"), arguments), max_size=8, unique=True))
    return ObjectGraph(labels, facts)


def kept_by_brute_force(structure):
    names, facts = list(structure.objects), set(structure.facts)
    orders = set()
    for order in permutations(range(len(names))):
        move = {name: names[place] for name, place in zip(names, order, strict=True)}
        same = all(structure.objects[name] == structure.objects[move[name]] for name in names)
        if same and {(label, tuple(move[place] for place in args)) for label, args in facts} == facts:
            orders.add(order)
    return orders


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
    moves = [tuple(move[place] for place in range(count)) for move in generators(graph, count, 10**6)]
    assert made_up_of(moves, count) == kept_by_brute_force(structure)
    assert tuple(range(count)) not in moves


@given(structures(), st.data())
def test_two_structures_are_isomorphic_where_vf2_says_so(structure, data):
    """One is the other renamed, with a fact less perhaps or one of its objects in another place."""
    order = data.draw(st.permutations(list(structure.objects)))
    move = dict(zip(structure.objects, order, strict=True))
    facts = [(label, tuple(move[place] for place in arguments)) for label, arguments in structure.facts]
    if facts and data.draw(st.booleans()):
        label, arguments = facts.pop()
        facts = sorted({*facts, (label, (data.draw(st.sampled_from(order)), *arguments[1:]))})
    renamed_graph = ObjectGraph({move[name]: label for name, label in structure.objects.items()}, facts)
    first, second = graph_of(structure), graph_of(renamed_graph)
    assert isomorphic(first, second, len(order), 10**6) == graphs.isomorphic(first, second)


def ring(length):
    names = [f"n{number}" for number in range(length)]
    facts = [("next", (first, second)) for first, second in zip(names, [*names[1:], names[0]], strict=True)]
    return ObjectGraph(dict.fromkeys(names, "x"), facts)


def test_large_groups_take_little_work():
    """The turns of a ring; and twenty objects alike, whose permutations nobody could go through."""
    assert len(list(generators(graph_of(ring(40)), 40, 10**6))) == 39
    alike = ObjectGraph({f"n{number}": "x" for number in range(20)}, [])
    assert len(list(generators(graph_of(alike), 20, 10**6))) == 20 * 19 // 2


def test_work_is_counted():
    result = generators(graph_of(ring(30)), 30, 1000)
    with pytest.raises(OutOfWork):
        list(result)
    with pytest.raises(OutOfWork):
        isomorphic(graph_of(ring(30)), graph_of(ring(30)), 30, 100)
