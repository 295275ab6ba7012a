"""Read a shortened action, for example "board c1" for "board car c1 onto the ferry at location l1"."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from orrery.grading.words import ARTICLES
from orrery.model import Row, Step

Pieces = tuple[str | int, ...]
"""The words of a wording; a number stands for an argument."""
Binding = frozenset[tuple[int, str]]
"""The objects of some arguments of an action, with their places."""

SKIPPED = ARTICLES | {"then", "now", "please"}
LONGEST = 20  # words of a shortened action
_PIECE = re.compile(r"\{(\d+)\}|([\w-]+)")


def shortened(text: str, row: Row, steps: Iterable[Step], names: Collection[str]) -> list[Step]:
    """Return the actions that a text in lower case may mean, in the order of ``steps``.

    The text has some words and some objects of a wording, in their order, and begins with its first word. So
    "sail to l2" means an action that ends in l2.

    Args:
        text: the reply.
        row: has the wordings in ``nl_templates``.
        steps: the ground actions to choose from.
        names: the objects of the problem.
    """
    tokens = [word for _, word in _PIECE.findall(text) if word in names or word not in SKIPPED]
    if not 0 < len(tokens) <= LONGEST or text.endswith("?"):
        return []
    by_name: dict[str, set[Binding]] = {}
    for name, wordings in _pieces(row["nl_templates"]).items():
        for pieces in wordings:
            by_name.setdefault(name, set()).update(_bindings(tokens, pieces, names))
    return [step for step in steps if _fits(step, by_name.get(step[0], ()))]


def _fits(step: Step, bindings: Iterable[Binding]) -> bool:
    return any(all(step[place + 1] == name for place, name in binding) for binding in bindings)


@lru_cache(maxsize=64)
def _pieces(templates: str) -> Mapping[str, Sequence[Pieces]]:
    """Return the wordings of each action as pieces."""
    listed: Mapping[str, Sequence[str]] = json.loads(templates)["actions"]
    return {
        name: [
            tuple(
                int(place) if place else word
                for place, word in _PIECE.findall(text.lower())
                if word not in SKIPPED
            )
            for text in texts
        ]
        for name, texts in listed.items()
    }


def _bindings(tokens: Sequence[str], pieces: Pieces, names: Collection[str]) -> Iterator[Binding]:
    """Yield the arguments that tokens bind if they are a subsequence of the pieces of a wording.

    An argument after a word other than the first, such as "from", cannot be left out. After an argument that
    is left out, an object needs such a word: "leave p2" means the first argument, "sail to p2" the last one.
    """
    if not pieces or tokens[0] != pieces[0]:
        return
    waiting: list[tuple[int, int, bool, bool, Binding]] = [(1, 1, False, False, frozenset())]
    while waiting:
        token, piece, is_governed, skips, bound = waiting.pop()
        if token == len(tokens):
            yield bound
            continue
        if piece == len(pieces):
            continue
        expected, word = pieces[piece], tokens[token]
        is_argument = isinstance(expected, int)
        if not (is_governed and is_argument):
            waiting.append((token, piece + 1, is_governed, skips or is_argument, bound))
        if isinstance(expected, int) and word in names and (is_governed or not skips):
            waiting.append((token + 1, piece + 1, False, skips, bound | {(expected, word)}))
        elif word == expected:
            waiting.append((token + 1, piece + 1, True, skips, bound))
