"""Choose among the wordings of a macro: one wording at a time, or all of them at once.

The last argument of a macro is a ``Turn``. With it, the macro returns one of its texts: each choice takes a
digit of the turn's number, so that the numbers of independent choices multiply. With ``EVERY`` as the last
argument, the macro returns all texts in one encoded string. ``Wordings`` parses this string, finds which
wording a text is, and lists all wordings.

The last eighth of each list of eight wordings or more is held out: only turns with ``held`` choose it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import NamedTuple, TypeAlias

HELD_OUT = 8  # one in this many wordings is held out
HELD_SPLIT = "test"  # splits in which held-out wordings occur

# Delimiters around and between the wordings of a choice; no text contains them.
OPEN, OR, CLOSE = "\ue100", "\ue101", "\ue102"
_SPACE = re.compile(r"\s+")
_SIGN = re.compile(f"[{OPEN}{OR}{CLOSE}]")

# White space before a place in a text: all of it is read, some is ahead, or nothing is read yet.
_NONE, _AHEAD, _BEGIN = range(3)

Digits: TypeAlias = tuple[int, ...]
Readers: TypeAlias = Mapping[str, Callable[[str, int], Iterator[int]]]


def held_out(count: int) -> int:
    """Return the number of held-out wordings among ``count`` wordings; they are the last ones."""
    return count // HELD_OUT


class ChosenText(NamedTuple):
    """A text, and whether some of its wording is held out."""

    text: str
    held_out: bool


class ChosenSentences(NamedTuple):
    """Sentences, and whether some of their wording is held out."""

    sentences: list[str]
    held_out: bool


def may_be_held_out(problem_id: str) -> bool:
    """Return whether held-out wordings and names may occur in the split of a problem."""
    return problem_id.split("/")[1:2] == [HELD_SPLIT]


class Turn:
    """A number that determines choices: each choice takes one digit of it.

    If ``held``, held-out wordings may be chosen; then half of the choices take one. ``spent`` lists the
    digits taken so far, each with the number of wordings that it chose among. ``held_out`` says whether a
    held-out wording was chosen.
    """

    def __init__(self, number: int, held: bool = False) -> None:
        """Start with a number of 0 or more."""
        self._number, self._held = number, held
        self.spent: list[tuple[int, int]] = []
        self.held_out = False

    def digit(self, count: int) -> int:
        """Return the next digit, a number below ``count``."""
        count_here, offset = count - held_out(count), 0
        if self._held and count_here < count:
            self._number, chosen = divmod(self._number, 2)
            if chosen:
                count_here, offset, self.held_out = count - count_here, count_here, True
        self._number, digit = divmod(self._number, count_here)
        self.spent.append((offset + digit, count))
        return offset + digit


class Steady(Turn):
    """A turn whose choices all use the same number: lists of equal length give the same position."""

    def digit(self, count: int) -> int:
        """Return a number below ``count``."""
        number = self._number
        digit = super().digit(count)
        self._number = number
        return digit


class Followed(Turn):
    """A turn that follows a path of digits; after the end of the path, it chooses the first wordings."""

    def __init__(self, path: Sequence[int]) -> None:
        """Start at the beginning of the path."""
        super().__init__(0)
        self._ahead = list(path)

    def digit(self, count: int) -> int:
        """Return the next number on the path."""
        place = len(self.spent)
        digit = self._ahead[place] if place < len(self._ahead) else 0
        self.held_out |= digit >= count - held_out(count)
        self.spent.append((digit, count))
        return digit

    def next(self) -> list[int]:
        """Return the next path in order; the empty list after the last path."""
        digits = list(self.spent)
        while digits and digits[-1][0] + 1 == digits[-1][1]:
            digits.pop()
        path = [digit for digit, _ in digits]
        return [*path[:-1], path[-1] + 1] if path else []


class Every:
    """A substitute for a turn: all wordings are chosen."""

    @staticmethod
    def of(wordings: Sequence[object]) -> str:
        """Return all wordings encoded as one string, which ``Wordings`` parses."""
        return f"{OPEN}{OR.join(map(str, wordings))}{CLOSE}"


EVERY = Every()


Parts: TypeAlias = tuple["str | WordingChoice", ...]


@dataclass(frozen=True)
class WordingChoice:
    """A choice of one among several wordings; each wording is a sequence of texts and choices."""

    wordings: tuple[Parts, ...]


@dataclass(frozen=True)
class Wordings:
    """All texts that a macro can return: a sequence of texts and choices."""

    parts: Parts

    @classmethod
    def of(cls, encoded: str) -> Wordings:
        """Parse the result of a macro that was called with ``EVERY``.

        Raises:
            ValueError: the delimiters of a choice do not match.
        """
        encoded = _SPACE.sub(" ", encoded)
        parts, end = _sequence(encoded, 0)
        if end != len(encoded):
            raise ValueError("a choice of wordings has an end without a beginning")
        return cls(parts)

    @classmethod
    def listed(cls, texts: Sequence[str]) -> Wordings:
        """Return a choice among complete texts."""
        return cls((WordingChoice(tuple((_SPACE.sub(" ", text),) for text in texts)),))

    def said(self, path: Digits) -> str:
        """Return the text for one path of choices, in single spaces."""
        return " ".join("".join(_pieces_on_path(self.parts, iter(path))).split())

    def paths(self) -> Iterator[Digits]:
        """Yield every path of choices, in order."""
        return _paths(self.parts)

    def every(self, most: int) -> Iterator[str]:
        """Yield the first ``most`` texts, in order."""
        return map(self.said, islice(self.paths(), most))

    def match(self, text: str) -> Digits | None:
        """Return the path of choices that gives ``text``, which has single spaces; None if no path does."""
        return next((path for end, path in self.ends(text, 0) if end == len(text)), None)

    def ends(self, text: str, start: int, readers: Readers | None = None) -> Iterator[tuple[int, Digits]]:
        """Yield each place where a wording that begins at ``start`` ends, with its path of choices.

        White space in wordings matches one space, and the empty string at the beginning and end of the text.
        ``readers`` maps a one-character mark to a function that, from a place in the text, returns the ends
        of what the mark may stand for.
        """
        for end, path in _ends(self.parts, text, _Place(start, _BEGIN), readers or {}):
            yield end.at, path

    def holds_out(self, path: Digits) -> bool:
        """Return whether a path of choices takes a held-out wording."""
        return _holds_out(self.parts, iter(path))


def sentence_of(encoded: str, sentence: Callable[[str], str]) -> str:
    """Return an encoded text as a sentence: with a capital, and with one closing mark after all choices.

    Raises:
        ValueError: a wording at the end closes with another mark than a full stop.
    """
    parts, _ = _sequence(encoded.strip(), 0)
    return _written(_closed(_opened(parts, sentence), sentence)) + "."


def _opened(parts: Parts, sentence: Callable[[str], str]) -> Parts:
    """Return the parts with a capital at the beginning."""
    first, *tail = parts
    if isinstance(first, WordingChoice):
        return (WordingChoice(tuple(_opened(wording, sentence) for wording in first.wordings)), *tail)
    return (sentence(first.lstrip()[:1])[:1] + first.lstrip()[1:], *tail)


def _closed(parts: Parts, sentence: Callable[[str], str]) -> Parts:
    """Return the parts without the closing mark that each wording has at the end."""
    *head, last = parts
    if isinstance(last, WordingChoice):
        return (*head, WordingChoice(tuple(_closed(wording, sentence) for wording in last.wordings)))
    closed = sentence("x" + last)
    if not closed.endswith("."):
        raise ValueError("the wordings of a sentence end with different punctuation marks")
    return (*head, closed[1:-1])


def _written(parts: Parts) -> str:
    return "".join(
        Every.of([_written(wording) for wording in part.wordings])
        if isinstance(part, WordingChoice)
        else part
        for part in parts
    )


def _sequence(encoded: str, at: int) -> tuple[Parts, int]:
    """Return the parts from ``at`` to the end of the text or of the wording, and the place of that end."""
    parts: list[str | WordingChoice] = []
    while sign := _SIGN.search(encoded, at):
        if sign.start() > at:
            parts.append(encoded[at : sign.start()])
        at = sign.start()
        if sign[0] != OPEN:
            return tuple(parts), at
        choice, at = _choice(encoded, at + 1)
        parts.append(choice)
    return (*parts, *([encoded[at:]] if at < len(encoded) else ())), len(encoded)


def _choice(encoded: str, at: int) -> tuple[WordingChoice, int]:
    wordings = []
    while True:
        wording, at = _sequence(encoded, at)
        if at == len(encoded):
            raise ValueError("a choice of wordings has no end")
        wordings.append(wording)
        at += 1
        if encoded[at - 1] == CLOSE:
            return WordingChoice(tuple(wordings)), at


def _paths(parts: Parts) -> Iterator[Digits]:
    choices = [
        [(number, *path) for number, wording in enumerate(part.wordings) for path in _paths(wording)]
        for part in parts
        if isinstance(part, WordingChoice)
    ]
    return map(tuple, map(chain.from_iterable, product(*choices)))


def _pieces_on_path(parts: Parts, path: Iterator[int]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, WordingChoice):
            yield from _pieces_on_path(part.wordings[next(path)], path)
        else:
            yield part


def _holds_out(parts: Parts, path: Iterator[int]) -> bool:
    is_held_out = False
    for part in parts:
        if isinstance(part, WordingChoice):
            number, count = next(path), len(part.wordings)
            is_held_out |= number >= count - held_out(count)
            is_held_out |= _holds_out(part.wordings[number], path)
    return is_held_out


class _Place(NamedTuple):
    """A place in a text, and what is known of the white space before it."""

    at: int
    space: int


def _ends(parts: Parts, text: str, start: _Place, readers: Readers) -> Iterator[tuple[_Place, Digits]]:
    """Yield the places where the parts end if they are read from ``start``."""
    if not parts:
        yield start, ()
        return
    part, tail = parts[0], parts[1:]
    if isinstance(part, WordingChoice):
        for number, wording in enumerate(part.wordings):
            if not readers and not _may_begin(wording, text, start.at):
                continue
            for middle, path in _ends(wording, text, start, readers):
                for end, tail_path in _ends(tail, text, middle, readers):
                    yield end, (number, *path, *tail_path)
        return
    for middle in _read(part, text, start, readers):
        yield from _ends(tail, text, middle, readers)


def _may_begin(wording: Parts, text: str, at: int) -> bool:
    """Return whether a wording without marks may begin at ``at`` or one space later, by its first words.

    This test is fast and excludes most wordings of a choice.
    """
    words = wording[0].strip(" ") if wording and isinstance(wording[0], str) else ""
    return text.startswith(words, at) or text.startswith(words, at + 1)


def _read(piece: str, text: str, start: _Place, readers: Readers) -> Iterator[_Place]:
    """Yield the places where a complete piece of a wording ends if it is read from ``start``."""
    at, space = start
    if piece.startswith(" "):
        piece, space = piece[1:], space if space is _BEGIN else _AHEAD
    if not piece:
        yield _Place(at, space)
        return
    if space is _AHEAD:
        if not text.startswith(" ", at):
            return
        at += 1
    mark = min((place for place in map(piece.find, readers) if place >= 0), default=len(piece))
    if mark == len(piece):
        words = piece.rstrip(" ")
        if text.startswith(words, at):
            yield _Place(at + len(words), _NONE if words == piece else _AHEAD)
    elif mark:
        for middle in _read(piece[:mark], text, _Place(at, _NONE), readers):
            yield from _read(piece[mark:], text, middle, readers)
    else:
        for end in readers[piece[0]](text, at):
            yield from _read(piece[1:], text, _Place(end, _NONE), readers)
