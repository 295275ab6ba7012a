"""Stacks: towers of objects side by side on one table, and the arm with the object that it holds.

Keys of the description: ``on``, a predicate of two things; ``on_table`` and ``holding``, predicates of one
thing; ``clear``, a predicate of things with nothing on them; ``empty``, a predicate that holds if the arm is
empty.
"""

from __future__ import annotations

from collections.abc import Mapping

from orrery.model import Atom
from orrery.pictures.svg import LETTER, NOTHING, Shape, box, column, group, rows, rule, word
from orrery.pictures.view import View, natural

LEAST, MOST, HEIGHT, GAP, CAP = 48, 130, 34, 16, 14


def scene(view: View) -> Shape:
    """Return the arm, and below it the towers. In a goal, the bottom of a tower may be unknown."""
    picture = view.picture
    on, table = view.of(picture["on"]), view.of(picture["on_table"])
    above = {fact[2]: fact for fact in on}
    below = {fact[1]: fact for fact in on}
    alone = {fact[1] for fact in view.of(picture.get("clear"))}
    alone -= {fact[1] for fact in view.of(picture.get("holding"))}
    standing = {fact[1] for fact in table}
    bottoms = sorted(standing | ({*above} | alone) - {*below}, key=natural)
    longest = max((len(typed.name) for typed in view.problem.objects), default=0)
    width = min(MOST, max(LEAST, LETTER * 13 * longest + 8))
    towers = [_tower(view, _names(bottom, above), above, width) for bottom in bottoms]
    return column([_arm(view, width), _table(towers, view.room)], 10)


def _names(bottom: str, above: Mapping[str, Atom]) -> list[str]:
    """Return the names from the bottom up. A cycle, which no sound state has, is cut."""
    names = [bottom]
    while (upper := above.get(names[-1])) is not None and upper[1] not in names:
        names.append(upper[1])
    return names


def _tower(view: View, tower: list[str], above: Mapping[str, Atom], width: float) -> Shape:
    """Return the blocks from the bottom up with their facts. An unknown support is drawn as dots."""
    clear, table = view.picture.get("clear"), (view.picture["on_table"], tower[0])
    grounded = table in view.facts
    shapes = []
    for level, name in enumerate(tower, start=1):
        fact = above[tower[level - 2]] if level > 1 else table
        shapes.append(block(view, 0, -level * HEIGHT, name, width, *([fact] if fact in view.facts else [])))
        if (str(clear), name) in view.facts:
            # The mark is beside the name if, in an unsound state, a block lies on a clear block.
            top = -level * HEIGHT - CAP / 2 if level == len(tower) else 6 - level * HEIGHT
            shapes.append(view.mark([word(width / 2, top, "clear", 9.5, "dim")], (str(clear), name)))
    feet = rule(-GAP / 2, 0, width + GAP / 2, 0, 3, "floor") if grounded else word(width / 2, 6, "...", 13)
    return group([feet, *shapes])


def block(view: View, x: float, y: float, name: str, width: float, *facts: Atom) -> Shape:
    """Return a block with its name and the facts that it states."""
    shapes = [box(x, y, width, HEIGHT), view.name(x + width / 2, y + HEIGHT / 2, name, width - 4)]
    return view.mark(shapes, *facts)


def _table(towers: list[Shape], room: float) -> Shape:
    """Return the towers in rows, with the floors or dots of a row at one height."""
    lines: list[list[Shape]] = [[]]
    used = 0.0
    for tower in towers:
        if lines[-1] and used + tower.width > room:
            lines.append([])
            used = 0.0
        lines[-1].append(group([tower], x=used - tower.edges[0]))
        used += tower.width
    return column([group(line) for line in lines], GAP)


def _arm(view: View, width: float) -> Shape:
    """Return the arm with the block that it holds, if the facts describe the arm."""
    holding, empty = view.picture.get("holding"), view.picture.get("empty")
    held = [block(view, 0, 16, fact[1], width, fact) for fact in view.of(holding)]
    if (str(empty),) in view.facts:
        held.append(view.mark([word(0, 25, "empty", 11, "dim", "start")], (str(empty),)))
    if not held:
        return NOTHING
    middle = width / 2 if view.of(holding) else 16
    grip = [rule(middle, 0, middle, 14, 5, "arm"), rule(middle - 14, 14, middle + 14, 14, 5, "arm")]
    name = word(middle + 12, 2, "arm", 11, "dim", "start")
    return group([*grip, name, rows(held, view.room, 10).at(0, 17)])
