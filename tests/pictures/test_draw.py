"""Pictures: sound XML that shows every object, grids laid out as their facts say, clear refusals."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import OrreryError, Problem, TypedName, literals
from orrery.pictures import draw, layout, svg
from tests.every_domain import difficulties, drawn, entry
from tests.pictures.reading import Picture


@pytest.mark.parametrize("robots", [1, 2, 3, 5, 7])
def test_robots_that_share_a_tile_are_all_seen_within_it(robots):
    names = [f"robot{number}" for number in range(robots)]
    facts = {("robot-at", name, "tile1") for name in names} | {("right", "tile2", "tile1")}
    kinds = [TypedName(name, ("robot",)) for name in names]
    tiles = [TypedName("tile1", ("tile",)), TypedName("tile2", ("tile",))]
    place = entry("floor-tile")
    problem = Problem(
        "p", place.name, (*kinds, *tiles), frozenset(facts), literals([("robot-at", *names[:1], "tile1")])
    )
    picture = Picture(draw.draw(place.domain, problem, problem.init, place.description.picture))
    assert set(names) <= set(picture.texts)
    plates = [picture.box_around(name).edges for name in names]
    tile = picture.box_around("tile1").edges
    assert len(plates) == robots
    assert all(overlap(tile, plate) == pytest.approx(area(plate)) for plate in plates)
    assert not any(overlap(first, second) for first, second in combinations(plates, 2))


def area(edges):
    return (edges[2] - edges[0]) * (edges[3] - edges[1])


def overlap(first, second):
    """The area that two rectangles (left, top, right, bottom) share."""
    sides = [min(first[i + 2], second[i + 2]) - max(first[i], second[i]) for i in (0, 1)]
    return max(0, sides[0]) * max(0, sides[1])


def test_no_two_colors_of_a_problem_look_alike():
    names = [f"color{number}" for number in range(1, 50)]
    assert len({svg.colour(names, name) for name in names}) == 49


@st.composite
def pieces_of_a_grid(draw_):
    """A connected set of cells of a grid under shuffled names."""
    rows, columns, seed = draw_(st.integers(1, 5)), draw_(st.integers(1, 5)), draw_(st.integers(0, 10**6))
    rng = random.Random(seed)
    cells = [(x, y) for x in range(columns) for y in range(rows)]
    chosen = {rng.choice(cells)}
    for _ in range(rng.randint(0, len(cells))):
        edge = [
            c for c in cells if c not in chosen and any(abs(c[0] - x) + abs(c[1] - y) == 1 for x, y in chosen)
        ]
        if edge:
            chosen.add(rng.choice(edge))
    names = rng.sample([f"p{i}" for i in range(len(chosen))], len(chosen))
    return dict(zip(names, sorted(chosen), strict=True))


def steps(first, second):
    return abs(first[0] - second[0]) + abs(first[1] - second[1])


@given(pieces_of_a_grid())
def test_adjacent_cells_and_no_others_lie_one_step_apart(places):
    adjacent = {
        (first, second)
        for first, second in combinations(sorted(places), 2)
        if steps(places[first], places[second]) == 1
    }
    spots = layout.by_adjacency(sorted(places), adjacent)
    assert len(set(spots.values())) == len(places)
    found = {(a, b) for a, b in combinations(sorted(spots), 2) if steps(spots[a], spots[b]) == 1}
    assert found == adjacent


@given(pieces_of_a_grid())
def test_directions_give_the_grid_back(places):
    shifts = [
        (first, second, (x1 - x2, y1 - y2))
        for first, (x1, y1) in places.items()
        for second, (x2, y2) in places.items()
        if abs(x1 - x2) + abs(y1 - y2) == 1
    ]
    spots = layout.by_direction(sorted(places), shifts)
    origin = {(x - spots[name][0], y - spots[name][1]) for name, (x, y) in places.items()}
    assert len(origin) == 1


@pytest.mark.parametrize("pairs", [[("a", "b"), ("b", "c"), ("c", "a")], [("a", "b")]])
def test_what_is_no_grid_is_drawn_as_a_circle(pairs):
    spots = layout.by_adjacency(["a", "b", "c"], pairs)
    assert len({(round(x, 6), round(y, 6)) for x, y in spots.values()}) == 3


RING = frozenset({("on", "a", "b"), ("on", "b", "a")})


@pytest.mark.parametrize("facts", [RING, RING | {("on-table", "a")}, frozenset()], ids=len)
def test_a_ring_of_blocks_and_an_empty_state_are_drawn(facts):
    place = entry("blocksworld")
    blocks = (TypedName("a"), TypedName("b"))
    problem = Problem("p", "blocksworld", blocks, facts, literals([("on", "a", "b")]))
    picture = Picture(draw.draw_problem(place.domain, problem, place.description.picture))
    drawn_facts = {panel: facts for panel, facts in picture.facts.items() if facts}
    assert drawn_facts == {"goal": {("on", "a", "b")}} | ({"initial state": set(facts)} if facts else {})
    assert {"a", "b"} <= picture.words()
    assert picture.outside() == []


@pytest.mark.parametrize(
    ("picture", "word"),
    [
        ({"kind": "film"}, "film"),
        ({"kind": "stacks"}, "'on'"),
        ({}, "None"),
        ({"kind": "places", "marks": {"on-table": "with {2}"}}, "argument 2 of on-table"),
        ({"kind": "places", "inside": {"on-table": [1, 2]}}, "argument 2 of on-table"),
        ({"kind": "places", "inside": {"on-table": [0, "table"]}}, "argument 0 of on-table"),
    ],
)
def test_a_description_that_cannot_be_drawn_is_refused(picture, word):
    place = entry("blocksworld")
    problem = drawn("blocksworld", place.tasks[0], difficulties("blocksworld")[0], 1).problem
    with pytest.raises(OrreryError, match=word):
        draw.draw_problem(place.domain, problem, picture)
