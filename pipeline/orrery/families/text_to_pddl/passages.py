"""Passages on initial states and goals; lists of objects, each made once for all problems of its names.

Which wording a list has depends on the turn that chooses it only through the digits that its choices take.
These are observed while its macro runs. Passages are not kept: they have so many choices that hardly two are
the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from orrery.language.choices import ChosenText, Turn
from orrery.language.words import Words
from orrery.model import WITH_EXPLICIT_GOAL, parameters_beside

KEPT = 100_000  # lists of objects
SPREAD = 0x9E3779B97F4A7C15F39CC0605CEDC835  # 2^128 over the golden ratio (Knuth, TAOCP 3, 6.4)

Names: TypeAlias = Mapping[str, Sequence[str]]


class Passages:
    """The passages of one domain."""

    def __init__(self, words: Words, names_of: Callable[[Any], Names]) -> None:
        """Prepare to word passages; ``names_of`` lists the names of what a problem is about."""
        self._words, self._names_of = words, names_of
        self._lists: dict[Hashable, _Chosen] = {}
        self._count = 0

    def text(
        self, part: str, configuration: str, parameters: str, who: Hashable, turn: int, held: bool = False,
        *, explicit_goal: bool = False,
    ) -> ChosenText:  # fmt: skip
        """Return the passage on ``part``, "init" or "goal", for parameters given as JSON.

        ``who`` is what the names depend on; ``held`` says whether wordings that are held out may be chosen.
        A passage on the initial state may say more beside an explicit goal.
        """
        values = json.loads(parameters)
        if says_more(parameters):
            values = parameters_beside(values, explicit_goal=explicit_goal)
        spending = _turn(turn, held)
        text = self._words.passage(part, configuration, values, self._names_of(who), spending)
        return ChosenText(text, spending.held_out)

    def objects(self, who: Hashable, turn: int, held: bool = False) -> ChosenText:
        """Return the list of the objects."""
        root = self._lists.get(who)
        if root is not None and (listed := root.said(_turn(turn, held))) is not None:
            return listed
        if self._count == KEPT:
            self._lists, self._count, root = {}, 0, None
        if root is None:
            root = self._lists[who] = _Chosen()
        self._count += 1
        spending = _turn(turn, held)
        text = self._words.objects(self._names_of(who), spending)
        listed = ChosenText(text, spending.held_out)
        root.keep(spending.spent, listed)
        return listed


def _turn(number: int, held: bool) -> Turn:
    """Return the turn of a number; the last choices of a passage need a large one, too."""
    return Turn(number * SPREAD, held)


def says_more(parameters: str) -> bool:
    """Return whether the passage of parameters, given as JSON, says more beside an explicit goal."""
    return f'"{WITH_EXPLICIT_GOAL}":' in parameters


class _Chosen:
    """What is known of a list after some choices: among how many the next one is, or the text."""

    __slots__ = ("count", "found", "next")

    def __init__(self) -> None:
        self.count = 0
        self.next: dict[int, _Chosen] = {}
        self.found: ChosenText | None = None

    def said(self, turn: Turn) -> ChosenText | None:
        """Return the text that a turn chooses, if it was made."""
        node: _Chosen | None = self
        while node is not None and node.count:
            node = node.next.get(turn.digit(node.count))
        return None if node is None else node.found

    def keep(self, spent: Sequence[tuple[int, int]], text: ChosenText) -> None:
        """Keep a text under what was chosen for it."""
        node = self
        for digit, count in spent:
            node.count = count
            node = node.next.setdefault(digit, _Chosen())
        node.found = text
