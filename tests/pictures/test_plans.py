"""Strips and animations: what is new is marked, what cannot be taken ends them, nobody has to see motion."""

import re

import pytest

from orrery.model import Problem, TypedName, literals
from orrery.pictures import plans
from tests.every_domain import entry
from tests.pictures.reading import Picture

KINDS = {"c1": "car", "c2": "car", "l1": "location", "l2": "location"}
OBJECTS = tuple(TypedName(name, (kind,)) for name, kind in KINDS.items())
INIT = {("at", "c1", "l1"), ("at", "c2", "l2"), ("at-ferry", "l1"), ("empty-ferry",)}
INIT |= {("passage", "l1", "l2"), ("passage", "l2", "l1")}
STEPS = [("board", "c1", "l1"), ("sail", "l1", "l2"), ("debark", "c1", "l2")]


def ferry():
    place = entry("ferry")
    return place.domain, Problem("p", "ferry", OBJECTS, frozenset(INIT), literals([("at", "c1", "l2")]))


def described():
    return entry("ferry").description.picture


def test_what_a_step_makes_true_is_marked():
    drawing = Picture(plans.strip(*ferry(), STEPS, described()))
    marked = {
        node.get("data-fact") for node in drawing.root.iter() if "new" in (node.get("class") or "").split()
    }
    assert marked == {"(on c1)", "(at-ferry l2)", "(at c1 l2)", "(empty-ferry)"}


@pytest.mark.parametrize("draw", [plans.strip, plans.animation])
def test_a_step_that_cannot_be_taken_ends_the_pictures_and_is_named(draw):
    drawing = Picture(draw(*ferry(), [STEPS[0], STEPS[2], ("board", "c2", "l2"), STEPS[1]], described()))
    assert drawing.panels[:3] == ["0: initial state", "1: (board c1 l1)", "goal"]
    assert "Step 2, (debark c1 l2), cannot be taken." in " ".join(drawing.texts)


@pytest.mark.parametrize("draw", [plans.strip, plans.animation])
def test_the_first_steps_of_a_longer_plan_are_shown_and_the_rest_counted(draw):
    drawing = Picture(draw(*ferry(), STEPS, described(), 1))
    assert drawing.panels[:3] == ["0: initial state", "1: (board c1 l1)", "goal"]
    assert "2 more steps are not shown." in " ".join(drawing.texts)


def test_an_animation_stands_still_for_people_who_want_little_motion():
    style = Picture(plans.animation(*ferry(), STEPS, described())).root[2].text
    still, moving = style.split("@media(prefers-reduced-motion:no-preference)")
    assert "animation" in moving
    assert "animation" not in still.replace("@keyframes", "")
    assert re.search(r"\.frame\{opacity:0\}#\w+ \.f0\{opacity:1\}", still)
    assert moving.count("animation-delay") == len(STEPS) + 1


def test_each_frame_is_seen_in_its_turn_and_no_other():
    """The style, read as a browser does: at each time exactly one frame has its full opacity."""
    style = Picture(plans.animation(*ferry(), STEPS, described())).root[2].text
    whole = float(re.search(r"show ([\d.]+)s step-end", style)[1])
    delays = [float(match) for match in re.findall(r"animation-delay:(-[\d.]+)s", style)]
    ends = [float(match) / 100 for match in re.findall(r"opacity:1\}([\d.]+)%", style)]
    last = [ends[1] if number == len(delays) - 1 else ends[0] for number in range(len(delays))]
    order = []
    for tick in range(400):
        now = (tick + 0.5) / 400 * whole
        seen = [n for n, delay in enumerate(delays) if ((now - delay) % whole) / whole < last[n]]
        assert len(seen) == 1
        order += seen if order[-1:] != seen else []
    assert order == list(range(len(STEPS) + 1))


def test_places_do_not_jump_about_from_frame_to_frame():
    steps = [("sail", "l1", "l2"), ("board", "c2", "l2"), ("sail", "l2", "l1"), ("debark", "c2", "l1")]
    drawing = Picture(plans.animation(*ferry(), steps, described()))
    for place in ("l1", "l2"):
        heads = [
            (e.edges, e.panel)
            for e in drawing.elements
            if e.words == place and e.panel not in ("goal", "always")
        ]
        assert len(heads) == len(steps) + 1
        assert len({edges for edges, _ in heads}) == 1
