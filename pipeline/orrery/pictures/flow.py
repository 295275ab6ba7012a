"""Shapes in rows, as words in lines."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.pictures.svg import NOTHING, Shape, group


def rows(shapes: Sequence[Shape], room: float, gap: float = 6, *, stand: bool = False) -> Shape:
    """Return the shapes in rows at most ``room`` wide, where none is wider; those of a row hang or stand."""
    shapes = [shape for shape in shapes if shape.svg]
    if not shapes:
        return NOTHING
    lines: list[list[Shape]] = [[]]
    used = 0.0
    for shape in shapes:
        if lines[-1] and used + shape.width > room:
            lines.append([])
            used = 0.0
        lines[-1].append(shape)
        used += shape.width + gap
    placed, top = [], 0.0
    for line in lines:
        height, x = max(shape.height for shape in line), 0.0
        for shape in line:
            placed.append(shape.at(x, top + (height - shape.height if stand else 0)))
            x += shape.width + gap
        top += height + gap
    return group(placed)


def column(shapes: Sequence[Shape], gap: float = 0) -> Shape:
    """Return the shapes below one another."""
    placed, top = [], 0.0
    for shape in shapes:
        if shape.svg:
            placed.append(shape.at(0, top))
            top += shape.height + gap
    return group(placed)


def squeezed(shape: Shape, room: float) -> Shape:
    """Return the shape, made smaller if it is wider than ``room``."""
    return shape if shape.width <= room else group([shape], scale=int(9999 * room / shape.width) / 10_000)
