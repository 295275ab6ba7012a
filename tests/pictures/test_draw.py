"""Pictures: sound XML that shows every object, grids laid out as their facts say, clear refusals."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import OrreryError, Problem, TypedName, literals
from orrery.pictures import draw, layout, svg
from tests.every_domain import CATALOG, difficulties, drawn, entry
from tests.pictures.reading import Picture

PICTURED = [name for name in CATALOG.names if entry(name).description.picture]


@pytest.mark.parametrize("name", PICTURED)
def test_the_same_state_gives_the_same_picture_and_another_state_another(name):
    here = entry(name)
    problem = drawn(name, here.tasks[0], difficulties(name)[0], 6).problem
    picture = draw.draw(here.domain, problem, problem.init, here.description.picture)
    assert picture == draw.draw(here.domain, problem, problem.init, here.description.picture)
    fluents = sorted(fact for fact in problem.init if fact[0] in here.domain.fluents - {"clear", "free"})
    assert picture != draw.draw(
        here.domain, problem, problem.init - set(fluents[-1:]), here.description.picture
    )


@pytest.mark.parametrize("robots", [1, 2, 3, 5, 7])
def test_robots_that_share_a_tile_are_all_seen_within_it(robots):
    names = [f"robot{number}" for number in range(robots)]
    facts = {("robot-at", name, "tile1") for name in names} | {("right", "tile2", "tile1")}
    kinds = [TypedName(name, ("robot",)) for name in names]
    tiles = [TypedName("tile1", ("tile",)), TypedName("tile2", ("tile",))]
    here = entry("floor-tile")
    problem = Problem(
        "p", here.name, (*kinds, *tiles), frozenset(facts), literals([("robot-at", *names[:1], "tile1")])
    )
    picture = Picture(draw.draw(here.domain, problem, problem.init, here.description.picture))
    assert set(names) <= set(picture.texts)
    plates = [picture.box_around(name).edges for name in names]
    tile = picture.box_around("tile1").edges
    assert len(plates) == robots
    assert all(overlap(tile, plate) == pytest.approx(area(plate)) for plate in plates)
    assert not any(overlap(one, other) for one, other in combinations(plates, 2))


def area(edges):
    return (edges[2] - edges[0]) * (edges[3] - edges[1])


def overlap(one, other):
    """The area that two rectangles (left, top, right, bottom) share."""
    sides = [min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1)]
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
    kept = {rng.choice(cells)}
    for _ in range(rng.randint(0, len(cells))):
        edge = [
            c for c in cells if c not in kept and any(abs(c[0] - x) + abs(c[1] - y) == 1 for x, y in kept)
        ]
        if edge:
            kept.add(rng.choice(edge))
    names = rng.sample([f"p{i}" for i in range(len(kept))], len(kept))
    return dict(zip(names, sorted(kept), strict=True))


def steps(one, other):
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


@given(pieces_of_a_grid())
def test_adjacent_cells_and_no_others_lie_one_step_apart(places):
    adjacent = {
        (one, other)
        for one, other in combinations(sorted(places), 2)
        if steps(places[one], places[other]) == 1
    }
    spots = layout.by_adjacency(sorted(places), adjacent)
    assert len(set(spots.values())) == len(places)
    found = {(a, b) for a, b in combinations(sorted(spots), 2) if steps(spots[a], spots[b]) == 1}
    assert found == adjacent


@given(pieces_of_a_grid())
def test_directions_give_the_grid_back(places):
    shifts = [
        (one, other, (x1 - x2, y1 - y2))
        for one, (x1, y1) in places.items()
        for other, (x2, y2) in places.items()
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
    here = entry("blocksworld")
    blocks = (TypedName("a"), TypedName("b"))
    problem = Problem("p", "blocksworld", blocks, facts, literals([("on", "a", "b")]))
    picture = Picture(draw.draw_problem(here.domain, problem, here.description.picture))
    said = {panel: found for panel, found in picture.facts.items() if found}
    assert said == {"goal": {("on", "a", "b")}} | ({"initial state": set(facts)} if facts else {})
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
    ],
)
def test_a_description_that_cannot_be_drawn_is_refused(picture, word):
    here = entry("blocksworld")
    problem = drawn("blocksworld", here.tasks[0], difficulties("blocksworld")[0], 1).problem
    with pytest.raises(OrreryError, match=word):
        draw.draw_problem(here.domain, problem, picture)
