"""Marks that stand for the names of objects until a text is done.

Problems that differ in names alone share facts, sentences and passages as long as their objects have marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

MARK = "\x7f"  # on both sides of a number; stands in no template, no name and no PDDL
CAPITAL = "^"  # before the number: the name begins a sentence


def mark(number: int) -> str:
    """Return what stands for the name of the object of this number."""
    return f"{MARK}{number}{MARK}"


def number_of(mark: str) -> int:
    """Return the number of the object that a mark stands for."""
    return int(mark[1:-1])


def capitalised(text: str) -> str:
    """Return a text with a capital at its start, where a mark may stand."""
    if text.startswith(MARK):
        return MARK + CAPITAL + text[1:]
    return text[:1].upper() + text[1:]


class Fillings(dict[str, str]):
    """What is written for each mark: the names of a problem's objects, by what stands inside the marks."""

    def __init__(self, names: Sequence[str]) -> None:
        """Prepare to write these names for the numbers 0, 1, 2 ..."""
        super().__init__({str(number): name for number, name in enumerate(names)})

    def __missing__(self, inside: str) -> str:
        """Return the name with a capital."""
        name = self[inside[1:]]
        self[inside] = capitalised = name[:1].upper() + name[1:]
        return capitalised


def filled(text: str, fillings: Mapping[str, str]) -> str:
    """Return a text with names for its marks."""
    pieces = text.split(MARK)
    if len(pieces) == 1:
        return text
    pieces[1::2] = map(fillings.__getitem__, pieces[1::2])
    return "".join(pieces)


def marks_in(text: str) -> Iterable[str]:
    """Return the marks that stand in a text, one for each time."""
    return [f"{MARK}{inside.removeprefix(CAPITAL)}{MARK}" for inside in text.split(MARK)[1::2]]


def without_marks(text: str) -> str:
    """Return what a text says besides names."""
    return " ".join(text.split(MARK)[::2])
