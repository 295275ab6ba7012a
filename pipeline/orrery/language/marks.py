"""Marks in place of object names until a text is complete.

Problems that differ only in names share facts, sentences and passages as long as marks replace the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

MARK = "\x7f"  # on both sides of a number; occurs in no template, name or PDDL text
CAPITAL = "^"  # before the number: the name begins a sentence


def mark(number: int) -> str:
    """Return the mark for the object with this number."""
    return f"{MARK}{number}{MARK}"


def number_of(mark: str) -> int:
    """Return the number of the object of a mark."""
    return int(mark[1:-1])


def capitalised(text: str) -> str:
    """Return a text with a capital at its beginning, which may be a mark."""
    if text.startswith(MARK):
        return MARK + CAPITAL + text[1:]
    return text[:1].upper() + text[1:]


class Fillings(dict[str, str]):
    """The replacement of each mark: the names of a problem's objects, by the text inside the marks."""

    def __init__(self, names: Sequence[str]) -> None:
        """Store these names for the numbers 0, 1, 2 ..."""
        super().__init__({str(number): name for number, name in enumerate(names)})

    def __missing__(self, inside: str) -> str:
        """Return the name with a capital."""
        name = self[inside[1:]]
        self[inside] = capitalised = name[:1].upper() + name[1:]
        return capitalised


def filled(text: str, fillings: Mapping[str, str]) -> str:
    """Return a text with names in place of its marks."""
    pieces = text.split(MARK)
    if len(pieces) == 1:
        return text
    pieces[1::2] = map(fillings.__getitem__, pieces[1::2])
    return "".join(pieces)


def marks_in(text: str) -> Iterable[str]:
    """Yield the marks in a text, with repetitions."""
    return [f"{MARK}{inside.removeprefix(CAPITAL)}{MARK}" for inside in text.split(MARK)[1::2]]


def without_marks(text: str) -> str:
    """Return a text without its marks."""
    return " ".join(text.split(MARK)[::2])
