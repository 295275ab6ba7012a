"""Stacks: what lies on what, towers side by side, the held thing in the arm above.

Keys of the description: ``on``, ``on_table`` and ``holding``, names of predicates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.model import Problem, State
from pipeline.pictures.svg import INK, STRONG, Scene, box, rule, word

WIDTH, HEIGHT, GAP = 48, 34, 16


def scene(facts: State, problem: Problem, picture: Mapping[str, Any]) -> Scene:
    """The towers that ``facts`` tell of; a goal may tell of parts only."""
    above = {fact[2]: fact[1] for fact in facts if fact[0] == picture["on"]}
    held = sorted(fact[1] for fact in facts if fact[0] == picture.get("holding"))
    standing = {fact[1] for fact in facts if fact[0] == picture["on_table"]}
    bottoms = sorted(standing | (set(above) - set(above.values())))
    towers = [_tower(bottom, above) for bottom in bottoms]
    highest = max(map(len, towers), default=0) + (2 if held else 0)
    width, floor = max(1, len(towers) + bool(held)) * (WIDTH + GAP), max(1, highest) * HEIGHT
    shapes = [rule(0, floor, width, floor, 3, INK)]
    for number, tower in enumerate(towers):
        x = number * (WIDTH + GAP) + GAP / 2
        for level, name in enumerate(tower, start=1):
            shapes += _block(x, floor - level * HEIGHT, name)
        if bottoms[number] not in standing:
            shapes.append(word(x + WIDTH / 2, floor + 10, "...", 13))
    shapes += _arm(width - WIDTH - GAP / 2, held)
    return Scene(tuple(shapes), width, floor + 16, stands=True)


def _tower(bottom: str, above: Mapping[str, str]) -> list[str]:
    """The names from the bottom up; a ring, which no sane state has, is cut."""
    found = [bottom]
    while (upper := above.get(found[-1])) is not None and upper not in found:
        found.append(upper)
    return found


def _block(x: float, y: float, name: str) -> list[str]:
    return [box(x, y, WIDTH, HEIGHT), word(x + WIDTH / 2, y + HEIGHT / 2, name)]


def _arm(x: float, held: list[str]) -> list[str]:
    """The held blocks hanging from the arm at the top."""
    shapes = []
    for number, name in enumerate(held):
        y = HEIGHT / 2 + number * HEIGHT
        shapes.append(rule(x + WIDTH / 2, 0, x + WIDTH / 2, y, 5, STRONG))
        shapes += _block(x, y, name)
    return shapes
