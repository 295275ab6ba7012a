"""What has no place in a picture is listed below it, each fact once, in lines that are not too long."""

from html import unescape
from re import findall

from orrery.pictures.lists import LETTER, WIDEST, with_lists
from orrery.pictures.svg import Scene

PICTURE = {"list": {"held": ["hold", "carry"], "seen": ["see"]}}
BARE = Scene(("<a/>",), 100, 50)


def lines(scene):
    return [unescape(text) for shape in scene.shapes[1:] for text in findall(r">([^<]*)</text>", shape)]


def test_captions_with_facts_make_lines_and_others_none():
    facts = frozenset({("carry", "r", "b"), ("hold", "a"), ("at", "x", "y")})
    scene = with_lists(BARE, facts, PICTURE)
    assert lines(scene) == ["held: a, r b"]
    assert scene.shapes[0] == "<a/>"
    assert scene.height > BARE.height
    assert scene.width == BARE.width
    assert lines(with_lists(BARE, frozenset({("at", "x", "y")}), PICTURE)) == []


def test_long_lists_go_on_in_the_next_line_and_lose_nothing():
    facts = frozenset(("see", f"thing{number}") for number in range(60))
    scene = with_lists(BARE, facts, PICTURE)
    assert len(lines(scene)) > 3
    assert all(len(line) <= WIDEST for line in lines(scene))
    assert scene.width == LETTER * max(map(len, lines(scene)))
    assert sorted(findall(r"thing\d+", " ".join(lines(scene)))) == sorted(fact[1] for fact in facts)
    last = float(findall(r' y="([\d.]+)"', scene.shapes[-1])[0])
    assert BARE.height < last < scene.height
