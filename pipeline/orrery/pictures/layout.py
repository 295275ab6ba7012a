"""The layout of the cells of a grid, computed from their adjacency."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from math import ceil, cos, pi, sin

Spot = tuple[float, float]
Neighbours = dict[str, dict[str, tuple[int, int]]]
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
TRIES = 20_000


def by_direction(cells: list[str], shifts: Iterable[tuple[str, str, tuple[int, int]]]) -> dict[str, Spot]:
    """Return columns and rows from facts ``(a, b, shift)``: ``a`` is at ``b`` plus ``shift``.

    Parts that no fact connects stand below one another.
    """
    near: Neighbours = {cell: {} for cell in cells}
    for one, other, (dx, dy) in shifts:
        near[other][one] = (dx, dy)
        near[one][other] = (-dx, -dy)
    spots: dict[str, Spot] = {}
    below = 0.0
    for cell in cells:
        if cell not in spots:
            part = _walk(cell, near)
            left, top = min(x for x, _ in part.values()), min(y for _, y in part.values())
            spots |= {name: (x - left, y - top + below) for name, (x, y) in part.items()}
            below = max(y for _, y in spots.values()) + 1.5
    return spots


def _walk(start: str, near: Neighbours) -> dict[str, tuple[int, int]]:
    found = {start: (0, 0)}
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        for other, (dx, dy) in near[cell].items():
            if other not in found:
                found[other] = (found[cell][0] + dx, found[cell][1] + dy)
                queue.append(other)
    return found


def by_adjacency(cells: list[str], pairs: Iterable[tuple[str, str]]) -> dict[str, Spot]:
    """Return columns and rows where exactly the adjacent cells are one step apart; else a circle."""
    near: dict[str, set[str]] = {cell: set() for cell in cells}
    for one, other in pairs:
        near[one].add(other)
        near[other].add(one)
    order = _order(cells, near)
    found = _embed(order, near) if order else None
    if found is None:
        return _circle(cells)
    left, top = min(x for x, _ in found.values()), min(y for _, y in found.values())
    return {cell: (x - left, y - top) for cell, (x, y) in found.items()}


def _order(cells: list[str], near: Mapping[str, set[str]]) -> list[str]:
    """Return the cells breadth first from a corner; empty if they are not connected."""
    start = min(cells, key=lambda cell: (len(near[cell]), cell))
    order, seen = [start], {start}
    for cell in order:  # grows while it is read
        new = sorted(near[cell] - seen)
        order += new
        seen |= set(new)
    return order if len(order) == len(cells) else []


def _embed(order: list[str], near: Mapping[str, set[str]]) -> dict[str, tuple[int, int]] | None:
    """Search depth first for an embedding, cell by cell, within a number of tries."""
    spots = {order[0]: (0, 0)}
    waiting = [_choices(order[1], spots, near)] if len(order) > 1 else []
    for _ in range(TRIES):
        if not waiting:
            return spots if len(spots) == len(order) else None
        cell = order[len(waiting)]
        spots.pop(cell, None)
        spot = next(waiting[-1], None)
        if spot is None:
            waiting.pop()
            continue
        spots[cell] = spot
        if len(spots) == len(order):
            return spots
        waiting.append(_choices(order[len(waiting) + 1], spots, near))
    return None


def _choices(
    cell: str, spots: Mapping[str, tuple[int, int]], near: Mapping[str, set[str]]
) -> Iterator[tuple[int, int]]:
    """Yield the free spots next to all placed neighbours of ``cell`` and to no other placed cell."""
    placed = dict(spots)
    anchor = next(other for other in sorted(near[cell]) if other in placed)
    at = {spot: name for name, spot in placed.items()}
    wanted = {other for other in near[cell] if other in placed}
    for dx, dy in STEPS:
        x, y = placed[anchor][0] + dx, placed[anchor][1] + dy
        around = {at[x + ex, y + ey] for ex, ey in STEPS if (x + ex, y + ey) in at}
        if (x, y) not in at and around == wanted:
            yield x, y


def _circle(cells: list[str]) -> dict[str, Spot]:
    radius = ceil(len(cells) / 4)
    angles = {cell: 2 * pi * number / len(cells) for number, cell in enumerate(cells)}
    return {cell: (radius * (1 + cos(angle)), radius * (1 + sin(angle))) for cell, angle in angles.items()}
