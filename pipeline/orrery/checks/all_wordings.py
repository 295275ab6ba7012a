"""Abstract texts of a problem in every wording, to find problems that differ but share a text.

Each choice of a passage takes each of its wordings in one of the texts, held-out ones included. The places of
these wordings are the same for all problems, so that two problems that a wording does not tell apart meet in
one text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from orrery.language.choices import Turn
from orrery.language.words import Words
from orrery.model import Parameters

NAME = re.compile(r"[\w-]+")


class Passage(NamedTuple):
    """The abstract text of a part, "init" or "goal": its configuration and the parameters that it tells."""

    part: str
    configuration: str
    parameters: Parameters


class PlacedTurn(Turn):
    """A turn whose choices all take the wording at one place, counted cyclically."""

    def digit(self, count: int) -> int:
        """Return the place among ``count`` wordings, held-out ones included."""
        self.spent.append((self._number % count, count))
        return self._number % count


def masked(names: Mapping[str, Sequence[str]], text: str) -> tuple[list[tuple[str, int]], str]:
    """Return the number of objects of each kind, and a text with names replaced.

    A name is replaced by its kinds and the number of names before it. Problems whose texts differ only in
    names give the same result.
    """
    kinds: dict[str, str] = {}
    for kind, names_of_kind in names.items():
        for name in names_of_kind:
            kinds[name] = f"{kinds.get(name, '')} {kind}"
    met: dict[str, int] = {}

    def mask(match: re.Match[str]) -> str:
        name = match[0].lower()
        return f"<{kinds[name]} {met.setdefault(name, len(met))}>" if name in kinds else match[0]

    return [(kind, len(names_of_kind)) for kind, names_of_kind in names.items()], NAME.sub(mask, text)


def abstract_texts(
    words: Words, passages: Sequence[Passage], names: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield texts of the passages, one line each, until each choice has taken each of its wordings."""
    place, most = 0, 1
    while place < most:
        turn = PlacedTurn(place)
        yield "\n".join(words.passage(*passage, names, turn) for passage in passages)
        most = max((most, *(count for _, count in turn.spent)))
        place += 1
