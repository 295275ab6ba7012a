"""Passages and lists of objects, each made once for all problems that it says the same of.

Which wording a passage has depends on the turn that chooses it only through the digits that its choices
take, and many passages name no objects. Both are observed while a macro runs. What was not asked for cannot
have mattered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from orrery.language.choices import Said, Turn
from orrery.language.words import Words
from orrery.model import WITH_EXPLICIT_GOAL, OrreryError, told_beside
from orrery.store.kinds import as_json

KEPT = 100_000
SPREAD = 0x9E3779B97F4A7C15F39CC0605CEDC835  # 2^128 over the golden ratio (Knuth, TAOCP 3, 6.4)

Names: TypeAlias = Mapping[str, Sequence[str]]


class Passages:
    """The passages of one domain."""

    def __init__(self, words: Words, names_of: Callable[[Any], Names]) -> None:
        """Prepare to word passages; ``names_of`` lists the names of what a problem is about."""
        self._words, self._names_of = words, names_of
        self._kept: dict[tuple[str, ...], _Chosen] = {}
        self._count = 0

    def text(
        self, part: str, configuration: str, parameters: str, who: Hashable, turn: int, held: bool = False,
        *, explicit_goal: bool = False,
    ) -> Said:  # fmt: skip
        """Return the passage on ``part``, "init" or "goal", for parameters given as JSON.

        ``who`` is what the names depend on; ``held`` says whether wordings that are held out may be chosen.
        A passage on the initial state may say more beside an explicit goal.
        """
        if says_more(parameters):
            parameters = as_json(told_beside(json.loads(parameters), explicit_goal=explicit_goal))

        def say(names: Names, turn: Turn) -> str:
            return self._words.passage(part, configuration, json.loads(parameters), names, turn)

        return self._said((part, configuration, parameters), say, who, (turn, held))

    def objects(self, who: Hashable, turn: int, held: bool = False) -> Said:
        """Return the list of the objects."""
        return self._said(("objects",), self._words.objects, who, (turn, held))

    def _said(
        self, key: tuple[str, ...], say: Callable[[Names, Turn], str], who: Hashable, turn: tuple[int, bool]
    ) -> Said:
        turn = turn[0] * SPREAD, turn[1]  # the last choices of a passage need a large number, too
        root = self._kept.get(key)
        if root is not None and (found := root.said(Turn(*turn), who)) is not None:
            return found
        if self._count == KEPT:
            self._kept, self._count, root = {}, 0, None
        if root is None:
            root = self._kept[key] = _Chosen()
        self._count += 1
        names, spending = _Names(self._names_of(who)), Turn(*turn)
        try:
            text = say(names, spending)
        except OrreryError:  # perhaps it asks of the names what these cannot tell
            names.asked, spending = True, Turn(*turn)
            text = say(self._names_of(who), spending)
        found = Said(text, spending.held_out)
        root.keep(spending.spent, found, who if names.asked else None)
        return found


def says_more(parameters: str) -> bool:
    """Return whether the passage of parameters, given as JSON, says more beside an explicit goal."""
    return f'"{WITH_EXPLICIT_GOAL}":' in parameters


class _Chosen:
    """What is known of a passage after some choices: among how many the next one is, or the text."""

    __slots__ = ("by_who", "count", "next", "of_all")

    def __init__(self) -> None:
        self.count = 0
        self.next: dict[int, _Chosen] = {}
        self.by_who: dict[Hashable, Said] = {}
        self.of_all: Said | None = None

    def said(self, turn: Turn, who: Hashable) -> Said | None:
        """Return the text that a turn chooses, if it was made."""
        here: _Chosen | None = self
        while here is not None and here.count:
            here = here.next.get(turn.digit(here.count))
        if here is None:
            return None
        return here.by_who.get(who) if here.of_all is None else here.of_all

    def keep(self, spent: Sequence[tuple[int, int]], said: Said, who: Hashable) -> None:
        """Keep a text under what was chosen for it, and under ``who`` if it names objects."""
        here = self
        for digit, count in spent:
            here.count = count
            here = here.next.setdefault(digit, _Chosen())
        if who is None:
            here.of_all = said
        else:
            here.by_who[who] = said


class _Names(Mapping[str, Sequence[str]]):
    """Names by kind, which note whether they were asked for."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.asked = False

    def __getitem__(self, kind: str) -> Sequence[str]:
        self.asked = True
        return self._names[kind]

    def __iter__(self) -> Iterator[str]:
        self.asked = True
        return iter(self._names)

    def __len__(self) -> int:
        self.asked = True
        return len(self._names)
