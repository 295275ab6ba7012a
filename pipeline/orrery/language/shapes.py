"""Describe relations by their shape: a grid, ring, line or star, all pairs, or pairs in both directions.

The facts determine the shape. The macro ``shape_<predicate>(shape, size, objects, variant)`` of the domain
describes it. If a relation holds for every two objects, ``complete_<predicate>(variant)`` describes it; for
example, some domains define inequality as a predicate with a fact for every pair, too many to state one by
one. ``checks.reading.shapes`` reads the descriptions back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise, permutations
from typing import NamedTuple, TypeAlias

from orrery.generator_kit import distances
from orrery.language.choices import Turn
from orrery.language.words import Words, form, listing, macro_name
from orrery.model import Domain

MACRO, COMPLETE = "shape", "complete"
FEWEST = 3  # minimum number of pairs for which a shape is described

Neighbors: TypeAlias = Mapping[str, Collection[str]]


class GraphShape(NamedTuple):
    """A shape as arguments of its macro: the name, a size or a center, and the objects in their order."""

    name: str
    size: str = ""
    objects: str = ""


class CompleteRelations:
    """The relations of one domain that may hold for all pairs and be described at once."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Find such relations: only predicates with a macro for it."""
        self.words, self.domain = words, domain
        self.predicates = tuple(
            predicate.name
            for predicate in domain.predicates
            if predicate.arity == 2
            and predicate.name not in domain.fluents
            and macro_name(COMPLETE, predicate.name) in words.macros
        )

    def size(self, predicate: str, names: Mapping[str, Sequence[str]]) -> int:
        """Return the number of facts of the complete relation; ``names`` are the objects by kind."""
        count = len(self._objects(predicate, names))
        return count * (count - 1)

    def sentence(self, predicate: str, turn: Turn) -> str:
        """Return the sentence that states a complete relation."""
        return self.words.call(macro_name(COMPLETE, predicate), turn)

    def _objects(self, predicate: str, names: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """Return the objects of the relation: those that fit its first parameter."""
        types = self.domain.predicate_named[predicate].parameters[0].types
        kinds: Iterable[str] = (kind for kind in names if self.domain.fits((kind,), types))
        return sorted({name for kind in kinds for name in names[kind]})


def has_shapes(words: Words, predicate: str) -> bool:
    """Return whether the domain has a macro for the shapes of a predicate."""
    return bool({macro_name(MACRO, predicate), macro_name(COMPLETE, predicate)} & words.macros.keys())


def passage(words: Words, predicate: str, shape: GraphShape, turn: Turn) -> str:
    """Return sentences that describe the shape of a predicate; "" if the domain has no macro for it."""
    if shape.name == COMPLETE and macro_name(COMPLETE, predicate) in words.macros:
        return words.call(macro_name(COMPLETE, predicate), turn)
    if macro_name(MACRO, predicate) not in words.macros:
        return ""
    return words.call(macro_name(MACRO, predicate), *shape, turn)


def shape_of(pairs: Iterable[Sequence[str]], order: Sequence[str]) -> GraphShape | None:
    """Return the shape of the pairs of a relation; None if there are few pairs or no shape fits.

    ``order`` lists the possible objects of the relation in the order of their description.
    """
    related = {(first, second) for first, second in pairs}
    if len(order) > 1 and related == set(permutations(order, 2)):
        return GraphShape(COMPLETE)
    unlike = any(first == second or (second, first) not in related for first, second in related)
    if len(related) < FEWEST or unlike:
        return None
    neighbors = {name: [second for second in order if (name, second) in related] for name in order}
    neighbors = {name: adjacent for name, adjacent in neighbors.items() if adjacent}
    of_all = None
    if len(neighbors) == len(order):
        of_all = _path(neighbors) or _star(neighbors) or _grid(neighbors)
    return of_all or _mutual(neighbors)


def _path(neighbors: Neighbors) -> GraphShape | None:
    """Return a line from one end to the other, or a ring that begins with the first object."""
    ends = [name for name, adjacent in neighbors.items() if len(adjacent) == 1]
    if len(ends) not in (0, 2) or any(len(adjacent) > 2 for adjacent in neighbors.values()):
        return None
    walk = [(ends or list(neighbors))[0]]
    while following := [neighbor for neighbor in neighbors[walk[-1]] if neighbor not in walk]:
        walk.append(following[0])
    if len(walk) != len(neighbors):
        return None
    return GraphShape("line" if ends else "ring", "", listing(walk))


def _star(neighbors: Neighbors) -> GraphShape | None:
    """Return a star around an object that is the only neighbor of all others."""
    for center, adjacent in neighbors.items():
        if len(adjacent) == len(neighbors) - 1:
            alone = all(len(neighbors[neighbor]) == 1 for neighbor in adjacent)
            return GraphShape("star", center, listing(adjacent)) if alone else None
    return None


def _grid(neighbors: Neighbors) -> GraphShape | None:
    """Return a complete grid, row by row; the distances from two corners give the place of every object."""
    corners = [name for name, adjacent in neighbors.items() if len(adjacent) == 2]
    if len(corners) != 4:
        return None
    first = distances(corners[0], neighbors.__getitem__)
    for corner in corners[1:]:
        if corner not in first:
            return None
        if rows := _rows(neighbors, first, distances(corner, neighbors.__getitem__), first[corner]):
            size = f"{len(rows)} {form('row', len(rows))} and {len(rows[0])} {form('column', len(rows[0]))}"
            return GraphShape("grid", size, "; ".join(map(listing, rows)))
    return None


def _rows(
    neighbors: Neighbors, from_left: Mapping[str, int], from_right: Mapping[str, int], width: int
) -> list[list[str]]:
    """Return the rows of a grid whose first row joins two corners; [] if these objects are not such corners.

    ``from_left`` and ``from_right`` are the distances from the corners; ``width`` is the distance between
    them.
    """
    places: dict[tuple[int, int], str] = {}
    for name in neighbors:
        if name not in from_left or (from_left[name] + from_right[name] - width) % 2:
            return []
        row = (from_left[name] + from_right[name] - width) // 2
        places[row, from_left[name] - row] = name
    height = len(neighbors) // (width + 1)
    rows = [[places.get((row, column), "") for column in range(width + 1)] for row in range(height)]
    links = {frozenset((name, neighbor)) for name, adjacent in neighbors.items() for neighbor in adjacent}
    return rows if _joined(rows) == links else []


def _joined(rows: Sequence[Sequence[str]]) -> set[frozenset[str]]:
    """Return the pairs of neighbors in rows and columns."""
    columns = zip(*rows, strict=True)
    return {frozenset(pair) for line in (*rows, *columns) for pair in pairwise(line)}


def _mutual(neighbors: Neighbors) -> GraphShape:
    """Return every pair once; the pairs of one object are together."""
    lists, before = [], set[str]()
    for name, adjacent in neighbors.items():
        before.add(name)
        if new_neighbors := [neighbor for neighbor in adjacent if neighbor not in before]:
            lists.append(f"{name} with {listing(new_neighbors)}")
    return GraphShape("mutual", "", "; ".join(lists))
