"""What generators share, held against brute force."""

import random
from itertools import chain, compress, pairwise, permutations, product

import pytest
import rustworkx
from hypothesis import given
from hypothesis import strategies as st

from orrery.generator_kit import (
    MANY,
    ParameterSpace,
    adjacency,
    around,
    composition,
    distances,
    drawn_counts,
    grid,
    ill_formed,
    numbered,
    out_of_range,
    paths_of_tree,
    reordered,
    shortest_path,
    shuffled,
    spans,
    typed,
    weighted,
)
from orrery.model import ConfigurationPair, ParameterError, TypedName

TASK, OTHER = ConfigurationPair("random", "random"), ConfigurationPair("random", "sorted")


def twice_x(task, parameters):
    if parameters["y"] != 2 * parameters["x"]:
        yield "twice", "needs y to be twice x"
    if parameters["x"] == 3:
        yield "three", "x is anything but three"


SPACE = ParameterSpace("pairs", (TASK,), {"x": (1, 5), "y": (1, 9)}, {"x": int, "y": int}, twice_x)
GRAPHS = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=n), min_size=n, max_size=n)
)


def test_counts_are_drawn_that_fit_together_or_none():
    ranges = {"x": (1, 30), "y": (1, 30)}
    for seed in range(20):
        counts = drawn_counts(ranges, random.Random(seed), lambda n: n["x"] + n["y"] == 40)
        assert sum(counts.values()) == 40
        assert list(out_of_range(counts, ranges)) == []
    rare = drawn_counts({"x": (1, 1000)}, random.Random(1), lambda n: n["x"] == 777)
    assert rare == {"x": 777}
    assert drawn_counts(ranges, random.Random(1), lambda n: n["x"] > 30) is None
    assert list(out_of_range({"x": 1, "y": 31}, ranges)) == [("y", "needs 1 to 30, not 31")]


@pytest.mark.parametrize(
    ("given", "constraints"),
    [
        ({"n": 1, "s": "a", "b": True, "l": [1]}, []),
        ({"n": True, "s": "a", "b": 1, "l": [1]}, ["kinds", "kinds"]),
        ({"n": 1.0, "s": None, "b": False, "l": (1,)}, ["kinds", "kinds", "kinds"]),
        ({"n": 1, "s": "a", "b": True, "l": [True]}, ["kinds"]),
        ({"n": 1, "s": "a", "b": True}, ["keys"]),
        ({"n": 1, "s": "a", "b": True, "l": [], "more": 1}, ["keys"]),
        ({}, ["keys"]),
    ],
)
def test_parameters_of_another_form_are_distinguished(given, constraints):
    found = list(ill_formed(given, {"n": int, "s": str, "b": bool, "l": list}))
    assert [constraint for constraint, _ in found] == constraints


@pytest.mark.parametrize(
    ("task", "parameters", "constraint"),
    [
        (TASK, {"x": 2, "y": 4}, None),
        (OTHER, {"x": 2, "y": 4}, "task"),
        (TASK, {"x": 2}, "keys"),
        (TASK, {"x": 2, "y": "4"}, "kinds"),
        (TASK, {"x": 6, "y": 12}, "x"),
        (TASK, {"x": 5, "y": 10}, "y"),
        (TASK, {"x": 3, "y": 7}, "twice"),
        (TASK, {"x": 3, "y": 6}, "three"),
    ],
)
def test_a_space_names_the_first_constraint_that_is_violated(task, parameters, constraint):
    if constraint not in ("task", "keys", "kinds"):
        assert SPACE.fits(task, parameters) == (constraint is None)
    if constraint is None:
        SPACE.check(task, parameters)
        return
    said = rf"^pairs/{task.name}: constraint '{constraint}': .*pairs/domain.yaml"
    with pytest.raises(ParameterError, match=said):
        SPACE.check(task, parameters)


def test_a_space_draws_what_fits_and_says_where_nothing_does():
    fitting = [{"x": 1, "y": 2}, {"x": 2, "y": 4}, {"x": 4, "y": 8}]
    for draw in (SPACE.size, SPACE.counts):
        drawn = [draw(TASK, {}, random.Random(seed)) for seed in range(30)]
        assert all(map(drawn.count, fitting))
        assert sum(map(drawn.count, fitting)) == len(drawn)
        assert draw(TASK, {"x": (-9, 99), "y": (5, 99)}, random.Random(2)) == fitting[2]
    free = [SPACE.size(TASK, {}, random.Random(seed), lambda *_: iter(())) for seed in range(9)]
    assert not all(SPACE.fits(TASK, each) for each in free)
    SPACE.size(TASK, {"x": (1, 1)}, random.Random(1))["x"] = 7
    assert SPACE.size(TASK, {"x": (1, 1)}, random.Random(1)) == fitting[0]
    assert SPACE.counts(TASK, {"states": (16, 40)}, random.Random(1), lambda n: n["x"] ** 2) == fitting[2]
    rng = random.Random(5)
    assert SPACE.attempt(TASK, lambda: {"x": rng.randint(1, 4), "y": 4}) == fitting[1]
    for draw in (
        lambda: SPACE.counts(TASK, {"x": (3, 3)}, random.Random(1)),
        lambda: SPACE.size(TASK, {"x": (3, 3)}, random.Random(1)),
        lambda: SPACE.attempt(TASK, lambda: {"x": 3, "y": 6}, 3),
    ):
        with pytest.raises(ParameterError, match="constraint 'limits'"):
            draw()


def test_weights_are_added_up_and_bounded():
    sizes, weights = weighted([("a", 2), ("b", 10 * MANY), ("c", 1)])
    assert (sizes, weights) == (["a", "b", "c"], [2, 2 + MANY, 3 + MANY])
    drawn = [SPACE.pick(TASK, sizes, random.Random(seed), weights) for seed in range(300)]
    assert drawn.count("b") > drawn.count("a") > 0


def test_every_composition_is_drawn():
    wanted = {each for each in product(range(1, 6), repeat=3) if sum(each) == 6}
    assert {tuple(composition(6, 3, random.Random(seed))) for seed in range(300)} == wanted


@given(st.lists(st.integers(0, 5), max_size=6))
def test_spans_cut_a_row_into_its_lengths(lengths):
    row = list(range(sum(lengths)))
    cuts = [row[start:end] for start, end in spans(lengths)]
    assert [len(cut) for cut in cuts] == lengths
    assert [*chain(*cuts)] == row


def test_names_keep_their_number_in_any_order():
    names = numbered("b", 5)
    assert names == ["b1", "b2", "b3", "b4", "b5"]
    for order in (shuffled, reordered):
        orders = {tuple(order(iter(names), random.Random(seed))) for seed in range(40)}
        assert {frozenset(each) for each in orders} == {frozenset(names)}
        assert len(orders) > 20
    assert typed({"room": ["r1"], "ball": {"b2": 1, "b1": 2}}) == (
        TypedName("b1", ("ball",)), TypedName("b2", ("ball",)), TypedName("r1", ("room",)),
    )  # fmt: skip


@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4))))
def test_cells_are_next_to_those_one_step_away(cells):
    near = adjacency(cells)
    assert near.keys() == cells
    for cell in cells:
        steps = {other for other in cells if abs(cell[0] - other[0]) + abs(cell[1] - other[1]) == 1}
        assert (set(near[cell]), len(near[cell])) == (steps, len(steps))
    assert dict(around((2, 2), grid(5, 5))) == {"up": (1, 2), "left": (2, 1), "right": (2, 3), "down": (3, 2)}


@given(GRAPHS)
def test_distances_and_paths_are_those_of_another_search(graph):
    other = rustworkx.PyDiGraph()
    other.add_nodes_from(range(len(graph)))
    other.add_edges_from([(place, there, 1) for place, some in enumerate(graph) for there in some])
    found = distances(0, graph.__getitem__)
    lengths = rustworkx.dijkstra_shortest_path_lengths(other, 0, lambda _: 1)
    assert found == {0: 0} | {place: int(length) for place, length in lengths.items() if place}
    assert list(found.values()) == sorted(found.values())
    for wanted in range(1, len(graph)):
        path = shortest_path(0, graph.__getitem__, {wanted})
        assert len(path) == found.get(wanted, 0)
        assert all(there in graph[here] for here, there in pairwise([0, *path]))
        assert path[-1:] == [wanted][: wanted in found]


def test_trees_are_recognized_and_their_paths_are_shortest():
    """On all graphs of four places without a link from a place to itself."""
    trees = 0
    for links in product((False, True), repeat=12):
        chosen = compress(permutations(range(4), 2), links)
        near = {place: [] for place in range(4)}
        for place, neighbor in chosen:
            near[place].append(neighbor)
        paths, away = paths_of_tree(0, near), distances(0, near.__getitem__)
        both_ways = all(place in near[neighbor] for place in near for neighbor in near[place])
        is_tree = both_ways and len(away) == 4 and sum(links) == 6
        assert (paths is not None) == is_tree
        for place, path in (paths or {}).items():
            assert (path[0], path[-1], len(path) - 1) == (0, place, away[place])
            assert all(following in near[place] for place, following in pairwise(path))
        trees += is_tree
    assert trees == 4**2  # Cayley's formula
