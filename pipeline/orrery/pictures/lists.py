"""List facts that are not drawn, by caption, so that every fact is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby, permutations
from typing import Any, NamedTuple

from orrery.model import Atom, State
from orrery.pictures.svg import LETTER, Shape, column, group, phrases
from orrery.pictures.view import View, names, natural

SIZE, LINE, INDENT = 12, 18, 14
LEAST_ALL = 3  # minimum number of objects for the summary that a relation holds between any two of them


class LinePhrase(NamedTuple):
    """Words of a line with the facts that they state. Words without facts are pale unless ``bold`` is set."""

    text: str
    facts: tuple[Atom, ...] = ()
    bold: bool = False


def listed(facts: State, view: View, room: float) -> Shape:
    """Return lines that list the facts by predicate, with the captions of the description."""
    return column([lines(items, view, room) for items in _captioned(facts, view.picture)], 2)


def lines(
    items: Iterable[LinePhrase], view: View, room: float, size: float = SIZE, indent: float = INDENT
) -> Shape:
    """Return the items in lines of at most ``room`` pixels. A line with a longer item is scaled down."""
    items_by_line: list[list[LinePhrase]] = [[]]
    used = 0.0
    for item in items:
        long = LETTER * size * (len(item.text) + 1)
        if items_by_line[-1] and used + long > room:
            items_by_line.append([])
            used = indent
        items_by_line[-1].append(item)
        used += long
    shapes = []
    for number, line in enumerate(items_by_line):
        parts = [(item.text, _look(item, view), view.facts.intersection(item.facts)) for item in line]
        min_x = indent if number else 0
        letters = len(" ".join(item.text for item in line)) or 1
        fits = int(10 * min(size, (room - min_x) / LETTER / letters)) / 10
        shapes.append(phrases(min_x, number * LINE * size / SIZE, parts, fits))
    return group(shapes)


def _look(item: LinePhrase, view: View) -> str:
    if view.fresh.intersection(item.facts):
        return "new"
    if view.asked.intersection(re.split(r"[\s,()\[\]]+", item.text)):
        return "asked"
    return "" if item.facts or item.bold else "dim"


def _captioned(facts: State, picture: Mapping[str, Any]) -> Iterable[list[LinePhrase]]:
    captions: dict[str, str] = {
        name: caption for caption, listed in picture.get("list", {}).items() for name in names(listed)
    }
    order = list(captions)
    ranked = sorted(
        facts,
        key=lambda fact: (
            order.index(fact[0]) if fact[0] in captions else len(order),
            "" if fact[0] in captions else fact[0],
            *map(natural, fact[1:]),
        ),
    )
    for caption, same_caption in groupby(ranked, key=lambda fact: str(captions.get(fact[0], fact[0]))):
        yield _items(caption, list(same_caption))


def _items(caption: str, facts: list[Atom]) -> list[LinePhrase]:
    """Return a caption and the arguments of each fact; a summary if the facts hold for any two objects."""
    if facts == [facts[0][:1]]:
        return [LinePhrase(caption, (facts[0],))]
    names = sorted({name for fact in facts for name in fact[1:]}, key=natural)
    pairs = {(facts[0][0], *pair) for pair in permutations(names, 2)}
    if len(names) >= LEAST_ALL and pairs == {*facts}:
        return [LinePhrase(f"{caption}:"), LinePhrase(f"any two of {', '.join(names)}", tuple(facts))]
    texts = [" ".join(fact[1:]) or "holds" for fact in facts]
    ends = [","] * (len(facts) - 1) + [""]
    return [
        LinePhrase(f"{caption}:"),
        *(LinePhrase(text + end, (fact,)) for text, end, fact in zip(texts, ends, facts, strict=True)),
    ]
