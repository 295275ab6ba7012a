"""Abstract passages, each made once for all problems that it says the same of.

Which wording a passage has depends on the number that chooses it only through its remainders, and many
passages name no objects. Both are observed while a macro runs: the number and the names that it is given
note what is asked of them. What was not asked for cannot have mattered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from math import lcm
from typing import Any, TypeAlias

from orrery.language.words import Words
from orrery.model import OrreryError

KEPT = 50_000

Names: TypeAlias = Mapping[str, Sequence[str]]


class Passages:
    """The passages of one domain; ``turns`` is the number of wordings that are told apart."""

    def __init__(self, words: Words, names_of: Callable[[Any], Names], turns: int) -> None:
        """Prepare to word passages; ``names_of`` lists the names of what a problem is about."""
        self._words, self._names_of, self._turns = words, names_of, turns
        self._kept: dict[tuple[Hashable, ...], str] = {}

    def text(self, part: str, configuration: str, parameters: str, who: Hashable, variant: int) -> str:
        """Return the passage on ``part``, "init" or "goal", for parameters given as JSON.

        ``who`` is what the names depend on; ``variant`` is below ``turns``.
        """
        said = (part, configuration, parameters, variant)
        found = self._kept.get(said)
        if found is None and (found := self._kept.get((*said, who))) is None:
            found = self._made(part, configuration, parameters, who, variant)
        return found

    def _made(self, part: str, configuration: str, parameters: str, who: Hashable, variant: int) -> str:
        given, turn, names = json.loads(parameters), _Turn(variant), _Names(self._names_of(who))
        try:
            text = self._words.passage(part, configuration, given, names, turn)  # type: ignore[arg-type]
        except OrreryError:  # perhaps it asks what these two cannot tell
            names_as_given = self._names_of(who)
            return self._words.passage(part, configuration, json.loads(parameters), names_as_given, variant)
        period = lcm(*turn.asked)
        alike = range(variant % period, self._turns, period) if self._turns % period == 0 else (variant,)
        about = (who,) if names.asked else ()
        for other in alike:
            self._kept[part, configuration, parameters, other, *about] = text
        if len(self._kept) > KEPT:
            for old in list(islice(self._kept, KEPT // 2)):
                del self._kept[old]
        return text


class _Turn:
    """A number that says nothing but its remainders, and notes for which divisors."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.asked: set[int] = set()

    def __mod__(self, divisor: int) -> int:
        """Return the remainder."""
        self.asked.add(divisor)
        return self._number % divisor


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
