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
from collections.abc import Collection, Iterable
from typing import NamedTuple

from orrery.model import Atom

_NAME = re.compile(r"[\w-]+")


class NamedObjects(NamedTuple):
    """A part of a text, on initial state or goal: whether it is abstract, and which objects it names."""

    abstract: bool
    named: frozenset[str]


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in small letters, the names of objects among them."""
    return frozenset([word.strip("-") for word in _NAME.findall(text.lower())])


def open_objects(kinds: Iterable[frozenset[str]], init: NamedObjects, goal: NamedObjects) -> list[str]:
    """Return the objects that a text of these passages leaves open, sorted.

    ``kinds`` are the objects in groups: those of one kind may change places.
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
    """Return whether a fact of the goal, with two of the open objects exchanged, is none of it.

    Each object is exchanged with the next of its kind, and the last with the first. If no fact leaves the
    goal, each exchange maps the facts that name an object into those that name the next; there are as many,
    then, of each, so that these exchanges keep the goal, and so do all permutations, which they generate.
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
