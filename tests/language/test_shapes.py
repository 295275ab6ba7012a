"""Relations told as shapes, in every wording, and read back; what is no shape is not told as one."""

from itertools import pairwise, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.checks.reading.shapes import ShapeReader
from orrery.language.choices import Turn
from orrery.language.shapes import has_shapes, passage, shape_of
from tests.every_domain import CATALOG, entry, words

MOST = 12


def both_ways(pairs):
    return {(first, two) for pair in pairs for first, two in permutations(pair)}


def grid(rows, columns):
    cells = [[f"p{row}-{column}" for column in range(columns)] for row in range(rows)]
    lines = [*cells, *zip(*cells, strict=True)]
    return both_ways(pair for line in lines for pair in pairwise(line))


PLACES = [f"p{n}" for n in range(6)]
CASES = {
    "grid": grid(3, 4),
    "ring": both_ways([*pairwise(PLACES), (PLACES[-1], PLACES[0])]),
    "line": both_ways(pairwise(PLACES)),
    "star": both_ways((PLACES[0], place) for place in PLACES[1:]),
    "mutual": both_ways([*pairwise(PLACES[:4]), (PLACES[1], PLACES[4])]),
    "complete": set(permutations(PLACES, 2)),
}


def order_of(pairs):
    return sorted({name for pair in pairs for name in pair})


@pytest.mark.parametrize("name", CASES)
def test_shapes_are_known_in_any_order_of_the_objects(name):
    for seed in range(20):
        order = order_of(CASES[name])
        Random(seed).shuffle(order)
        assert shape_of(CASES[name], order).name == name


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] != pair[1])))
def test_whatever_is_told_is_read_back(links):
    pairs = both_ways((f"p{first}", f"p{two}") for first, two in links)
    names = {"place": [f"p{n}" for n in range(7)]}
    shape = shape_of(pairs, names["place"])
    if shape is None:
        assert len(pairs) < 3
    elif shape.name != "complete":
        assert_read("visitall", "connected", shape, pairs, names)


@pytest.mark.parametrize("name", [name for name in CASES if name != "complete"])
@pytest.mark.parametrize(
    ("domain", "predicate", "kind"),
    [("visitall", "connected", "place"), ("grid", "conn", "place"), ("goldminer", "connected", "loc")],
)
def test_maps_are_read_back(name, domain, predicate, kind):
    pairs = CASES[name]
    assert_read(domain, predicate, shape_of(pairs, order_of(pairs)), pairs, {kind: order_of(pairs)})


@pytest.mark.parametrize(
    ("domain", "predicate", "kind"),
    [
        ("ferry", "passage", "location"),
        ("rover-single", "visible", "waypoint"),
        ("rover-single", "can_traverse", "waypoint"),
        ("rovers", "visible", "waypoint"),
    ],
)
def test_what_holds_of_any_two_is_read_back(domain, predicate, kind):
    pairs = CASES["complete"]
    assert_read(domain, predicate, shape_of(pairs, PLACES), pairs, {kind: PLACES})


def assert_read(domain, predicate, shape, pairs, names):
    reader = ShapeReader(words(domain), entry(domain).domain)
    passages = {passage(words(domain), predicate, shape, Turn(variant)) for variant in range(MOST)}
    assert len(passages) >= 4
    for passage_text in passages:
        read = reader.read(f"{passage_text} And so on.", names)
        assert read.rest == "And so on.", passage_text
        assert sorted(read.facts) == sorted((predicate, *pair) for pair in pairs), passage_text


def test_a_grid_of_another_size_is_not_read():
    reader = ShapeReader(words("visitall"), entry("visitall").domain)
    shape = shape_of(CASES["grid"], order_of(CASES["grid"]))
    for variant in range(MOST):
        passage_text = passage(words("visitall"), "connected", shape, Turn(variant)).replace(
            "3 rows", "4 rows"
        )
        assert reader.read(passage_text, {"place": order_of(CASES["grid"])}) == (passage_text, [], False)


def test_a_relation_that_leads_one_way_has_no_shape():
    assert shape_of(set(pairwise(PLACES)), PLACES) is None
    assert shape_of(grid(3, 4) - {("p0-0", "p0-1")}, order_of(grid(3, 4))) is None


def test_only_binary_predicates_have_shapes():
    for domain in CATALOG.names:
        for predicate in entry(domain).domain.predicates:
            assert predicate.arity == 2 or not has_shapes(words(domain), predicate.name)
