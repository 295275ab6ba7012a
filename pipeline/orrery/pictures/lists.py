"""Facts that have no place in a picture, listed below it by caption."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from orrery.model import State
from orrery.pictures.svg import Scene, word

LINE_HEIGHT, LETTER, WIDEST = 18, 7, 90


def with_lists(scene: Scene, facts: State, picture: Mapping[str, Any]) -> Scene:
    """Return the scene with a line below it for each caption of ``list`` that some facts fall under.

    A caption may have several predicates; a line that is too long goes on in the next one.
    """
    lines = [
        line for text in _texts_of(facts, picture) for line in wrap(text, WIDEST, subsequent_indent="    ")
    ]
    shapes = [
        word(0, scene.height + LINE_HEIGHT * number, line, 12, anchor="start")
        for number, line in enumerate(lines, 1)
    ]
    width = max([scene.width, *(LETTER * len(line) for line in lines)])
    return Scene((*scene.shapes, *shapes), width, scene.height + LINE_HEIGHT * len(lines) + 8)


def _texts_of(facts: State, picture: Mapping[str, Any]) -> list[str]:
    """Return a text for each caption."""
    found = []
    for caption, predicates in picture.get("list", {}).items():
        texts = [" ".join(fact[1:]) for kind in predicates for fact in sorted(facts) if fact[0] == kind]
        if texts:
            found.append(f"{caption}: {', '.join(texts)}")
    return found
