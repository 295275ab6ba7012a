"""The objects that a text leaves open; placeholder scoring may exchange them.

A passage on initial state or goal *names* an object: an explicit passage names the objects of its facts, an
abstract one those whose name occurs in it. The list of all objects names none. Objects that both passages
name are fixed; the others are open. If each passage names objects of one kind that the other does not name,
the names distinguish these objects ("the ferry is at location p ... all cars must be at location q"); then
the objects that an abstract passage names are fixed, too. A text without an abstract passage leaves nothing
open, and neither does a text whose goal refers to the initial state.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from orrery.model import Atom

_NAME = re.compile(r"[\w-]+")


class NamedObjects(NamedTuple):
    """A part of a text, initial state or goal: whether it is abstract, and which objects it names."""

    abstract: bool
    named: frozenset[str]


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, including the names of objects."""
    return frozenset([word.strip("-") for word in _NAME.findall(text.lower())])


def open_objects(kinds: Iterable[frozenset[str]], init: NamedObjects, goal: NamedObjects) -> list[str]:
    """Return the open objects of a text with these passages, sorted.

    ``kinds`` are groups of objects; objects of one kind may be exchanged.
    """
    abstractly = frozenset[str]().union(*(part.named for part in (init, goal) if part.abstract))
    opened: list[str] = []
    if init.abstract or goal.abstract:
        for members in kinds:
            first, second = members & init.named, members & goal.named
            told_apart = not (first <= second or second <= first)
            opened += members - (first & second) - (abstractly if told_apart else frozenset())
    return sorted(opened)


def exchange_changes(
    goal: Collection[Atom], kinds: Iterable[frozenset[str]], opened: Collection[str]
) -> bool:
    """Return whether an exchange of two open objects maps some fact of the goal to a fact outside the goal.

    Each object is exchanged with the next of its kind, and the last with the first. If no fact leaves the
    goal, each exchange maps the facts on one object to those on the next. Both have then equally many facts,
    and the exchanges keep the goal. All permutations keep it, too, because the exchanges generate them.
    """
    partner_of: dict[str, str] = {}
    for members in kinds:
        names = [name for name in opened if name in members]
        partner_of.update(zip(names, [*names[1:], *names[:1]], strict=True))
    for fact in goal:
        for name in fact[1:]:
            if (partner := partner_of.get(name, name)) != name:
                exchange = {name: partner, partner: name}
                if (fact[0], *[exchange.get(argument, argument) for argument in fact[1:]]) not in goal:
                    return True
    return False
