"""Places: nested boxes for objects at or in other objects. Other facts are lines in the boxes.

Keys of the description:

- ``place``: types or static unary predicates. Their objects are the outer boxes, drawn even if empty.
- ``inside``: for each predicate, a chain of nested things, innermost first. A number is an argument of the
  fact. A text is the name of a thing that the fact does not mention. ``carry: [2, 3, 1]`` draws the second
  argument in the third, and the third in the first. ``at-ferry: [ferry, 1]`` draws a ferry in the first.
- ``marks``: for each predicate, the text to write in the box of its first argument, with ``{1}``, ``{2}`` for
  the arguments. Or a pair: the owner of the box (the number of an argument or the name of a thing) and the
  text.
- ``pile``: a predicate of which the first argument lies directly on the second.
- ``base``: the types at the bottom of piles.
- ``kinds``: types that are written after the names of their objects.

Domains without a ``picture`` description are drawn with one box for each object, with its facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import sqrt

from orrery.model import Atom
from orrery.pictures.lists import LinePhrase, lines
from orrery.pictures.svg import NOTHING, Shape, box, column, group, rows, word
from orrery.pictures.view import View, filled, names, natural

PAD, GAP, SIZE, SMALL, CHIP, NARROW = 7, 6, 12, 10, 24, 150
MOST_BOXES = 120  # with more objects, all facts are listed instead


def scene(view: View) -> Shape:
    """Return the boxes. A partial view shows only boxes about which it states a fact."""
    return Nest(view).scene()


def sizes(view: View) -> dict[str, tuple[float, float]]:
    """Return width and height of each outer box."""
    nest = Nest(view)
    nest.scene()
    return nest.drawn


def object_boxes(view: View) -> Shape:
    """Return a box for each object that is the first argument of a changing fact, with these facts inside."""
    predicates = sorted({fact[0] for fact in view.facts if len(fact) > 1 and fact not in view.ground})
    changing = [name for name in predicates if name in view.picture.get("changing", predicates)]
    owners = {fact[1] for fact in view.facts if fact[0] in changing}
    if len(owners) > MOST_BOXES:
        return NOTHING
    arity = {fact[0]: len(fact) for fact in sorted(view.facts)}
    marks = {name: " ".join([name, *(f"{{{n}}}" for n in range(2, arity[name]))]) for name in changing}
    return Nest(replace(view, picture={"marks": marks})).scene()


@dataclass(frozen=True)
class Nest:
    """The nesting of things in a view, with the facts that state it.

    Things in ``apart`` are drawn elsewhere. ``drawn`` records the sizes of the outer boxes drawn so far.
    """

    view: View
    apart: frozenset[str] = frozenset()
    drawn: dict[str, tuple[float, float]] = field(default_factory=dict)

    @cached_property
    def places(self) -> list[str]:
        """The names of the outer boxes, which are drawn even if they are empty."""
        return [
            name
            for name in self.view.objects(*names(self.view.picture.get("place")))
            if name not in self.apart
        ]

    @cached_property
    def links(self) -> dict[str, dict[str, list[Atom]]]:
        """For each thing, the things directly in it, each with the facts that state it, in a fixed order."""
        links: dict[str, dict[str, list[Atom]]] = {}
        for predicate, chain in self.view.picture.get("inside", {}).items():
            for fact in self.view.of(predicate):
                for inner, outer in pairwise(_resolved(chain, fact)):
                    links.setdefault(outer, {}).setdefault(inner, []).append(fact)
        return {
            outer: {inner: links[outer][inner] for inner in sorted(links[outer], key=natural)}
            for outer in links
        }

    @cached_property
    def marks(self) -> dict[str, list[tuple[str, Atom]]]:
        """For each thing, the texts in its box with the facts that they state.

        Background facts are omitted.
        """
        marks: dict[str, list[tuple[str, Atom]]] = {}
        for predicate, how in self.view.picture.get("marks", {}).items():
            owner, text = (1, how) if isinstance(how, str) else how
            for fact in sorted(self.view.of(predicate), key=lambda fact: [*map(natural, fact)]):
                if fact in self.view.facts:
                    mark_text = filled(text, fact)
                    marks.setdefault(_resolved([owner], fact)[0], []).append((mark_text, fact))
        return marks

    @cached_property
    def piles(self) -> dict[str, dict[str, Atom]]:
        """For each thing, the things that lie directly on it, each with the fact that states it."""
        piles: dict[str, dict[str, Atom]] = {}
        for fact in self.view.of(self.view.picture.get("pile")):
            piles.setdefault(fact[2], {})[fact[1]] = fact
        return piles

    @cached_property
    def outermost(self) -> list[str]:
        """The things that are in nothing and on nothing, places first."""
        inner = {name for linked in self.links.values() for name in linked}
        upper = {name for linked in self.piles.values() for name in linked}
        drawn = {*self.links, *inner, *self.piles, *upper, *self.marks} - {*self.places}
        unplaced = sorted(drawn - self.apart, key=natural)
        return [name for name in [*self.places, *unplaced] if name not in inner | upper]

    def scene(self) -> Shape:
        """Return the outermost boxes in rows."""
        room = self.view.room
        drawn = [self.piled(name, room, ()) for name in self.outermost if self.stated(name)]
        return rows(drawn, room, 12)

    def stated(self, name: str, above: tuple[str, ...] = ()) -> bool:
        """Return whether a box must be drawn because the view states a fact about it or its contents."""
        if name in above:
            return False
        if not self.view.partial and (name in self.places or not above):
            return True
        facts = [fact for _, fact in self.marks.get(name, [])]
        inner = self.links.get(name, {})
        facts += [fact for facts_inside in inner.values() for fact in facts_inside]
        facts += self.piles.get(name, {}).values()
        below = [*inner, *self.piles.get(name, {})]
        return any(fact in self.view.facts for fact in facts) or any(
            self.stated(lower, (*above, name)) for lower in below
        )

    def piled(self, name: str, room: float, above: tuple[str, ...], facts: Iterable[Atom] = ()) -> Shape:
        """Return the box of a thing, with the boxes of the things on top of it."""
        drawn = self.box_of(name, room, above, facts)
        place = above[-1] if above else ""
        upper = []
        for upper_name, fact in self.piles.get(name, {}).items():
            if upper_name not in (*above, name) and (
                fact in self.view.facts or self.stated(upper_name, (*above, name))
            ):
                link_facts = self.links.get(place, {}).get(upper_name, [])
                upper.append(self.piled(upper_name, room, (*above, name, place), [fact, *link_facts]))
        if self._hovers(name, above):
            drawn = group([drawn, word(drawn.width / 2, drawn.height + 8, "...", 13)])
        return column([rows(upper, room, 4, stand=True), drawn])

    def _hovers(self, name: str, above: tuple[str, ...]) -> bool:
        """Return whether a pile begins with this thing although no fact names its support."""
        upper = {upper_name for pile in self.piles.values() for upper_name in pile}
        return name in self.piles and not above and name not in upper and not self._is_base(name)

    def _is_base(self, name: str) -> bool:
        return name in self.view.objects(*names(self.view.picture.get("base")))

    def box_of(self, name: str, room: float, above: tuple[str, ...], facts: Iterable[Atom]) -> Shape:
        """Return the box of a thing: its name, its texts, and the boxes of its contents."""
        path = (*above, name)
        lying = {upper for lower in self.piles for upper in self.piles[lower]}
        contents: list[Shape] = []
        piles: list[Shape] = []
        for inner, why in self.links.get(name, {}).items():
            if inner in path or (inner in lying and self._lies_in(inner, name)):
                continue
            if any(fact in self.view.facts for fact in why) or self.stated(inner, path):
                drawn = self.piled(inner, max(NARROW, room - 2 * PAD), path, why)
                (piles if inner in self.piles or self._is_base(inner) else contents).append(drawn)
        inner_room = self._room([*contents, *piles], room)
        heading, written = self._heading(name), self._marks(name, max(inner_room, 120))
        content = column(
            [heading, written, rows(contents, inner_room), rows(piles, inner_room, stand=True)], 5
        )
        least = 150 if name in self.places and not above else 40
        width, height = max(content.width + 2 * PAD, least), max(content.height + 2 * PAD, CHIP)
        if not above:
            self.drawn[name] = width, height
            wide, high = self.view.least.get(name, (0.0, 0.0))
            width, height = max(width, wide), max(height, high)
        if not contents and not piles and not written.svg and not (name in self.places and not above):
            shapes = [box(0, 0, width, CHIP, "plain"), self._heading(name, width / 2, CHIP / 2)]
        else:
            look = "paper" if not len(above) % 2 else "plain"
            shapes = [box(0, 0, width, height, look), content.at(PAD, PAD)]
        return self.view.mark(shapes, *facts) if facts else group(shapes)

    def _lies_in(self, name: str, place: str) -> bool:
        """Return whether the bottom of the pile under a thing is drawn in the given place."""
        under = {upper: lower for lower, pile in self.piles.items() for upper in pile}
        visited = {name}
        while (lower := under.get(name)) is not None and lower not in visited:
            visited.add(lower)
            name = lower
        return name in self.links.get(place, {}) and name not in under

    def _room(self, contents: Sequence[Shape], room: float) -> float:
        """Return the maximum width of the boxes inside: about one and a half times their height."""
        area = sum((shape.width + GAP) * (shape.height + GAP) for shape in contents)
        longest = max((shape.width for shape in contents), default=0.0)
        return min(max(longest, 1.3 * sqrt(area), NARROW - 2 * PAD), max(room - 2 * PAD, longest))

    def _heading(self, name: str, middle: float = 0, y: float = 0) -> Shape:
        """Return the name, with the type if the description lists it.

        It is centered at ``middle`` if not 0.
        """
        kinds = [kind for typed in self.view.problem.objects if typed.name == name for kind in typed.types]
        pictured_kinds = [kind for kind in kinds if kind in names(self.view.picture.get("kinds"))]
        text = f"{name} ({' '.join(pictured_kinds)})" if pictured_kinds else name
        look = "asked" if name in self.view.asked else ""
        return word(middle, y, text, SIZE, look, "middle" if middle else "start")

    def _marks(self, name: str, room: float) -> Shape:
        """Return the texts of a thing in lines that fit."""
        marks = self.marks.get(name)
        if not marks:
            return NOTHING
        ends = [","] * (len(marks) - 1) + [""]
        items = [LinePhrase(text + end, (fact,)) for (text, fact), end in zip(marks, ends, strict=True)]
        return lines(items, self.view, room, SMALL, 0)


def _resolved(chain: Sequence[int | str], fact: Atom) -> list[str]:
    """Return the names in a chain of a description: arguments of the fact and fixed names."""
    return [filled(f"{{{step}}}", fact) if isinstance(step, int) else str(step) for step in chain]
