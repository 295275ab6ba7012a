"""Canonical forms against brute force and rustworkx, above all on symmetric graphs."""

import random
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.equivalence.canonical import Canonical, canonical
from orrery.equivalence.graph import Undecided
from tests.effort import examples, some

from .structures import (
    circulant,
    cycle,
    furer,
    graph,
    is_isomorphism,
    isomorphic_by_rustworkx,
    moebius,
    petersen,
    prism,
    renamed,
    rook,
    shrikhande,
    undirected,
)


@st.composite
def small_graphs(draw, most=6):
    size = draw(st.integers(1, most))
    colours = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    pairs = [(u, v) for u in range(size) for v in range(size) if u != v]
    labels = draw(st.integers(1, 2))
    arcs = [(u, v, draw(st.integers(0, labels))) for u, v in pairs]
    return graph(colours, [arc for arc in arcs if arc[2]])


def image_between(first, second, source, two):
    image = [0] * len(source.order)
    for u, v in zip(source.order, two.order, strict=True):
        image[u] = v
    return is_isomorphism(first, second, image)


def check(first, second, isomorphic):
    form, two = canonical(first), canonical(second)
    assert isinstance(form, Canonical)
    assert isinstance(two, Canonical)
    assert (form.key == two.key) == isomorphic
    assert (form.certificate == two.certificate) == isomorphic
    if isomorphic:
        assert image_between(first, second, form, two)


@given(small_graphs(most=9), st.randoms(use_true_random=False))
@examples(300)
def test_renaming_changes_nothing(first, rng):
    order = list(range(len(first.colours)))
    rng.shuffle(order)
    check(first, renamed(first, order), True)


@given(small_graphs(most=7), st.data())
@examples(300)
def test_a_changed_arc_is_judged_as_rustworkx_does(first, data):
    size = len(first.colours)
    arcs = sorted({(u, v, 1 + r % 2) for u, row in enumerate(first.adjacency) for v, r in row.items()})
    if not arcs:
        return
    arcs.remove(lost := data.draw(st.sampled_from(arcs)))
    end = data.draw(st.sampled_from([w for w in range(size) if w != lost[0]]))
    nearly, two = (graph(first.colours, [*arcs, added]) for added in (lost, (lost[0], end, lost[2])))
    check(nearly, renamed(two, data.draw(st.permutations(range(size)))), isomorphic_by_rustworkx(nearly, two))


@given(st.sampled_from([(2, 4), (3, 3), (2, 5), (3, 4), (2, 6), (1, 11)]), st.data())
@examples(300)
def test_vertex_transitive_graphs_are_judged_as_rustworkx_does(sides, data):
    differences = [(i, j) for i in range(sides[0]) for j in range(sides[1])]
    labels = data.draw(st.lists(st.integers(0, 2), min_size=len(differences), max_size=len(differences)))
    shuffled = data.draw(st.permutations(labels))
    circle = circulant(sides, dict(zip(differences, labels, strict=True)))
    two = circulant(sides, dict(zip(differences, shuffled, strict=True)))
    two = renamed(two, data.draw(st.permutations(range(len(differences)))))
    check(circle, two, isomorphic_by_rustworkx(circle, two))


def test_all_digraphs_of_four_vertices_fall_into_218_classes():
    pairs = [(u, v) for u in range(4) for v in range(4) if u != v]
    keys_seen = {
        canonical(graph([0] * 4, [(*p, 1) for i, p in enumerate(pairs) if chosen >> i & 1])).key
        for chosen in range(1 << len(pairs))
    }
    assert len(keys_seen) == 218


SYMMETRIC = {
    "one long cycle": (12, cycle(12)),
    "two cycles": (12, cycle(6) + cycle(6, 6)),
    "three cycles": (12, cycle(4) + cycle(4, 4) + cycle(4, 8)),
    "uneven cycles": (12, cycle(5) + cycle(7, 5)),
    "complete bipartite": (12, [(u, v) for u in range(6) for v in range(6, 12)]),
    "crown": (12, [(u, v) for u in range(6) for v in range(6, 12) if v - 6 != u]),
    "cocktail party": (12, [(u, v) for u, v in combinations(range(12), 2) if v - u != 6]),
    "complement of cycles": (
        12,
        [p for p in combinations(range(12), 2) if p not in set(cycle(6) + cycle(6, 6))],
    ),
    "prism": (12, prism(6)),
    "moebius": (12, moebius(6)),
    "petersen": (10, petersen()),
    "prism 5": (10, prism(5)),
    "two petersens": (20, petersen() + [(u + 10, v + 10) for u, v in petersen()]),
    "petersen and prism": (20, petersen() + [(u + 10, v + 10) for u, v in prism(5)]),
    "rook": (16, rook()),
    "shrikhande": (16, shrikhande()),
    "two rooks": (32, rook() + [(u + 16, v + 16) for u, v in rook()]),
    "rook and shrikhande": (32, rook() + [(u + 16, v + 16) for u, v in shrikhande()]),
    "furer": furer(list(combinations(range(4), 2)), ()),
    "furer twisted": furer(list(combinations(range(4), 2)), (0,)),
    "furer on bipartite": furer([(u, v) for u in range(3) for v in range(3, 6)], ()),
    "furer on bipartite twisted": furer([(u, v) for u in range(3) for v in range(3, 6)], (0,)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_graphs_keep_their_key_under_renaming(name):
    first = undirected(*SYMMETRIC[name])
    for seed in range(some(5)):
        order = list(range(len(first.colours)))
        random.Random(seed).shuffle(order)
        check(first, renamed(first, order), True)


@pytest.mark.slow
def test_symmetric_graphs_are_distinguished():
    keys = {name: canonical(undirected(*arguments)).key for name, arguments in SYMMETRIC.items()}
    assert len(set(keys.values())) == len(SYMMETRIC)


def test_twisting_two_edges_of_a_furer_graph_untwists_it():
    base = list(combinations(range(4), 2))
    plain, once, twice = (undirected(*furer(base, range(twists))) for twists in range(3))
    check(plain, twice, True)
    check(plain, once, False)


def test_what_is_missing_from_a_background_is_no_relation_of_its_own():
    """All pairs related but those of a cube, of which one perfect matching is related otherwise."""
    cube = [(u, v) for u, v in combinations(range(8), 2) if (u ^ v).bit_count() == 1]
    parallel = [(u, u ^ 1) for u in (0, 2, 4, 6)]
    mixed = [(0, 1), (2, 3), (4, 6), (5, 7)]

    def shape(matching):
        pairs_outside = [pair for pair in combinations(range(8), 2) if pair not in cube]
        edges = [(*pair, 1) for pair in matching] + [(*pair, 2) for pair in pairs_outside]
        return graph([0] * 8, [arc for u, v, label in edges for arc in ((u, v, label), (v, u, label))])

    check(shape(parallel), shape(mixed), False)
    check(shape(parallel), shape([(u, u ^ 4) for u in range(4)]), True)


def test_components_are_reported_by_the_cells_they_lie_in():
    def shape(edges):
        return graph([0] * 6 + [1] * 6, [arc for u, v in edges for arc in ((u, v, 1), (v, u, 1))])

    hexagon_first = shape(cycle(6) + cycle(3, 6) + cycle(3, 9))
    triangles_first = shape(cycle(3) + cycle(3, 3) + cycle(6, 6))
    check(hexagon_first, triangles_first, False)


def test_interchangeable_vertices_need_no_search():
    star = [(0, v) for v in range(1, 46)]
    rooms = [(10 * room, 10 * room + ball) for room in range(9) for ball in range(1, 10)]
    for size, edges in ((46, star), (90, rooms)):
        assert isinstance(canonical(undirected(size, edges), budget=0), Canonical)


def test_symmetry_is_found_and_used():
    for size, edges in (
        (55, cycle(55)),
        (16, rook()),
        (100, [e for i in range(10) for e in cycle(10, 10 * i)]),
    ):
        assert isinstance(canonical(undirected(size, edges), budget=100), Canonical)


def test_a_budget_ends_undecided():
    with pytest.raises(Undecided):
        canonical(undirected(10, petersen()), budget=3)


def group_size(size, moves):
    """How many permutations ``moves`` generate."""
    start = tuple(range(size))
    images, todo = {start}, [start]
    while todo:
        image = todo.pop()
        for move in moves:
            image_after = tuple(move.get(v, v) for v in image)
            if image_after not in images:
                images.add(image_after)
                todo.append(image_after)
    return len(images)


@given(small_graphs(most=5))
@examples(200)
def test_symmetries_generate_all_symmetries(structure_drawn):
    size = len(structure_drawn.colours)
    symmetries = sum(
        is_isomorphism(structure_drawn, structure_drawn, image) for image in permutations(range(size))
    )
    assert group_size(size, canonical(structure_drawn).symmetries) == symmetries
