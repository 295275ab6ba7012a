"""The objects that a text leaves open, which placeholder scoring may exchange.

A passage on initial state or goal *names* an object: an explicit one each object of its facts, an abstract
one those whose name stands in it. The list of all objects names none. What both passages name is fixed, the
rest is open. Where each of them names, of one kind of object, some that the other does not, their names tell
these apart ("the ferry is at location p ... all cars must be at location q"): there, what an abstract passage
names is fixed, too. A text without an abstract passage leaves nothing open, nor does one whose goal refers to
the initial state.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import NamedTuple

_NAME = re.compile(r"[\w-]+")


class NamedObjects(NamedTuple):
    """A part of a text, on initial state or goal: whether it is abstract, and which objects it names."""

    abstract: bool
    named: frozenset[str]


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in small letters, the names of objects among them."""
    return frozenset([word.strip("-") for word in _NAME.findall(text.lower())])


def open_objects(kinds: Mapping[str, Hashable], init: NamedObjects, goal: NamedObjects) -> list[str]:
    """Return the objects that a text of these passages leaves open, sorted.

    ``kinds`` gives the kind of each object; those of one kind may change places.
    """
    passages = (init, goal)
    if not any(passage.abstract for passage in passages):
        return []
    fixed = init.named & goal.named
    abstractly = frozenset[str]().union(*(passage.named for passage in passages if passage.abstract))
    by_kind: dict[Hashable, set[str]] = defaultdict(set)
    for name, kind in kinds.items():
        by_kind[kind].add(name)
    for members in by_kind.values():
        if members & (init.named - goal.named) and members & (goal.named - init.named):
            fixed |= members & abstractly
    return sorted(kinds.keys() - fixed)
