"""The layout of the cells of a grid, computed from their adjacency."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from math import ceil, cos, pi, sin

Spot = tuple[float, float]
Neighbours = dict[str, dict[str, tuple[int, int]]]
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
TRIES = 20_000


def by_direction(cells: list[str], shifts: Iterable[tuple[str, str, tuple[int, int]]]) -> dict[str, Spot]:
    """Return columns and rows from facts ``(a, b, shift)``, which mean: ``a`` is at ``b`` plus ``shift``.

    Connected components are placed below one another.
    """
    near: Neighbours = {cell: {} for cell in cells}
    for origin, neighbor, (dx, dy) in shifts:
        near[neighbor][origin] = (dx, dy)
        near[origin][neighbor] = (-dx, -dy)
    spots: dict[str, Spot] = {}
    below = 0.0
    for cell in cells:
        if cell not in spots:
            part = _walk(cell, near)
            min_x, min_y = min(x for x, _ in part.values()), min(y for _, y in part.values())
            spots |= {name: (x - min_x, y - min_y + below) for name, (x, y) in part.items()}
            below = max(y for _, y in spots.values()) + 1.5
    return spots


def _walk(start: str, near: Neighbours) -> dict[str, tuple[int, int]]:
    position_of = {start: (0, 0)}
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        for neighbor, (dx, dy) in near[cell].items():
            if neighbor not in position_of:
                position_of[neighbor] = (position_of[cell][0] + dx, position_of[cell][1] + dy)
                queue.append(neighbor)
    return position_of


def by_adjacency(cells: list[str], pairs: Iterable[tuple[str, str]]) -> dict[str, Spot]:
    """Return columns and rows such that exactly the adjacent cells are one step apart; otherwise a circle."""
    near: dict[str, set[str]] = {cell: set() for cell in cells}
    for origin, neighbor in pairs:
        near[origin].add(neighbor)
        near[neighbor].add(origin)
    order = _order(cells, near)
    position_of = _embed(order, near) if order else None
    if position_of is None:
        return _circle(cells)
    min_x, min_y = min(x for x, _ in position_of.values()), min(y for _, y in position_of.values())
    return {cell: (x - min_x, y - min_y) for cell, (x, y) in position_of.items()}


def _order(cells: list[str], near: Mapping[str, set[str]]) -> list[str]:
    """Return the cells in breadth-first order from a corner; empty if they are not connected."""
    start = min(cells, key=lambda cell: (len(near[cell]), cell))
    order, visited = [start], {start}
    for cell in order:  # the list grows during the loop
        new = sorted(near[cell] - visited)
        order += new
        visited |= set(new)
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
    anchor = next(neighbor for neighbor in sorted(near[cell]) if neighbor in placed)
    at = {spot: name for name, spot in placed.items()}
    placed_neighbors = {neighbor for neighbor in near[cell] if neighbor in placed}
    for dx, dy in STEPS:
        x, y = placed[anchor][0] + dx, placed[anchor][1] + dy
        around = {at[x + ex, y + ey] for ex, ey in STEPS if (x + ex, y + ey) in at}
        if (x, y) not in at and around == placed_neighbors:
            yield x, y


def _circle(cells: list[str]) -> dict[str, Spot]:
    radius = ceil(len(cells) / 4)
    angles = {cell: 2 * pi * number / len(cells) for number, cell in enumerate(cells)}
    return {cell: (radius * (1 + cos(angle)), radius * (1 + sin(angle))) for cell, angle in angles.items()}


def on_ellipse(
    sizes: Mapping[str, tuple[float, float]], pairs: Iterable[tuple[str, str]], room: float, gap: float = 16
) -> dict[str, Spot]:
    """Return the centers of boxes on an ellipse that is ``room`` wide, or wider if the boxes need it.

    The height is chosen so that boxes do not overlap. If possible, the lines between ``pairs`` of boxes cross
    no other box.
    """
    order, wide = list(sizes), max((width for width, _ in sizes.values()), default=0.0)
    # The boxes below the top one need room for two side by side, even if that exceeds ``room``.
    beside = min(1.0, sin(2 * pi / len(order))) if len(order) > 2 else 1.0
    across, lines = max((room - wide) / 2, (wide + gap) / 2 / beside), sorted(pairs)
    best: tuple[tuple[bool, int], dict[str, Spot]] | None = None
    for down in range(60, 900, 20):
        turns = {name: 2 * pi * number / len(order) - pi / 2 for number, name in enumerate(order)}
        spots = {name: (across * cos(turn), down * sin(turn)) for name, turn in turns.items()}
        hidden = sum(
            _crosses(spots[start], spots[end], spots[name], sizes[name])
            for start, end in lines
            for name in order
            if name not in (start, end)
        )
        faults = (_overlap(spots, sizes, gap), hidden)
        if best is None or faults < best[0]:
            best = faults, spots
        if faults == (False, 0) or (not faults[0] and down > 60 * len(order)):
            break
    return best[1] if best else {}


def _overlap(spots: Mapping[str, Spot], sizes: Mapping[str, tuple[float, float]], gap: float) -> bool:
    return any(
        abs(spots[first][0] - spots[second][0]) < (sizes[first][0] + sizes[second][0]) / 2 + gap
        and abs(spots[first][1] - spots[second][1]) < (sizes[first][1] + sizes[second][1]) / 2 + gap
        for first, second in combinations(spots, 2)
    )


def _crosses(start: Spot, end: Spot, middle: Spot, size: tuple[float, float]) -> bool:
    """Return whether a line meets a box (Liang and Barsky, 1984)."""
    first, last = 0.0, 1.0
    for axis in (0, 1):
        step, low = end[axis] - start[axis], middle[axis] - size[axis] / 2 - start[axis]
        high = low + size[axis]
        if abs(step) < 1e-9:
            if low > 0 or high < 0:
                return False
            continue
        near, far = sorted((low / step, high / step))
        first, last = max(first, near), min(last, far)
    return first < last
