"""All small parameters of the three published domains, side by side: what the generators make of them."""

import random
from itertools import product

from orrery.model import ParameterError

EVENLY, N_ROOM = "evenly_distributed", "n_room_distributed"


def partitions(n, highest=None):
    """All ways to write ``n`` as a sum of positive numbers, highest first."""
    if n == 0:
        yield []
    for first in range(min(n, highest or n), 0, -1):
        yield from ([first, *tail] for tail in partitions(n - first, first))


def compositions(n, parts):
    """All lists of so many numbers from 0 up that add up to ``n``."""
    return (list(counts) for counts in product(range(n + 1), repeat=parts) if sum(counts) == n)


def blocksworld_side(configuration, n):
    if configuration in ("on_table", "holding_one", "stack"):
        yield {"blocks": n}
    elif configuration == "staircase":
        yield from ({"steps": steps} for steps in range(1, n + 1) if steps * (steps + 1) == 2 * n)
    elif configuration == "equal_towers":
        yield from (
            {"height": n // towers, "towers": towers} for towers in range(1, n + 1) if n % towers == 0
        )
    else:
        yield from ({"heights": heights} for heights in partitions(n))


def blocksworld(task, most):
    """Parameters with up to ``most`` blocks."""
    for n in range(1, most + 1):
        goals = [{}] if task.tied else list(blocksworld_side(task.goal, n))
        yield from ({"init": a, "goal": b} for a, b in product(blocksworld_side(task.init, n), goals))


def gripper_side(configuration, rooms, balls, initially):
    fixed = {"rooms": rooms, "balls": balls} if initially else {}
    if configuration == "one_room":
        yield from ({**fixed, "robot": robot} for robot in ("with", "apart"))
    if configuration == EVENLY or (configuration == "one_room" and not initially):
        yield fixed
    elif configuration in (N_ROOM, "swap"):
        yield from ({"counts": counts} for counts in compositions(balls, rooms))
    elif configuration in ("holding", "juggle"):
        for held in range(balls + 1):
            yield from ({"counts": counts, "held": held} for counts in compositions(balls - held, rooms))
    elif configuration != "one_room":
        yield {}
        yield from ({"robot": "with"} for _ in range(configuration == "focus_max"))


def gripper(task, rooms, balls, grippers):
    """Parameters with up to so many rooms, balls and grippers."""
    for r, b, g in product(range(1, rooms + 1), range(1, balls + 1), range(1, grippers + 1)):
        goals = [{}] if task.tied else list(gripper_side(task.goal, r, b, False))
        inits = gripper_side(task.init, r, b, True)
        yield from ({"grippers": g, "init": init, "goal": goal} for init, goal in product(inits, goals))


def floor_tile(task, side, tiles, robots):
    """Parameters with so many tiles; one color beyond those needed and, of robots, up to so many."""
    if task.tied:
        lists = (heights for n in range(2, tiles + 1) for heights in partitions(n))
        yield from ({"lengths": lengths} for lengths in lists if len(lengths) <= robots)
        return
    starts = ("corner", "scattered", "left_column", "top_row", "center", "one_per_ring")
    for rows, columns in product(range(1, side + 1), repeat=2):
        shape = {"size": rows} if task.init == "rings" else {"rows": rows, "columns": columns}
        needed = {"all_different": rows * columns, "rings": (rows + 1) // 2, "checkerboard": 2}.get(
            task.goal, 1
        )
        counts = range(1, robots + 1), (needed, needed + 1), starts, ("same", "own"), (1, 2)
        for count, colors, start, held, palette in product(*counts) if rows * columns <= tiles else ():
            if palette == 1 or task.goal == "paint_x":
                values = {**shape, "robots": count, "colors": colors, "start": start, "held": held}
                values |= {"palette": palette} if task.goal == "paint_x" else {}
                yield from (values | {"named": named} for named in (True, False))


def built(place, task, sides, builds):
    """Several problems of all parameters that the generator accepts."""
    for number, parameters in enumerate(sides):
        for again in range(builds):
            try:
                yield place.generator.build(task, parameters, random.Random(1000 * number + again))
            except ParameterError:
                break
