"""The choices among wordings that a macro makes: one at a time, or all of them at once.

A macro is called with a ``Turn`` for its last argument and so says one of its texts: each choice spends a
digit of the turn's number, so that choices which stand side by side multiply. Called with ``EVERY`` it says
all of them in one: ``Wordings`` takes that apart, finds which of them a text is, and lists them.

Of each list of eight wordings or more the last eighth is held out: only turns that ask for it say it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import NamedTuple, TypeAlias

HELD_OUT = 8  # of so many wordings, one is held out
HELD_SPLIT = "test"  # where these occur

# Around the wordings of a choice, and between them; no text has them.
OPEN, OR, CLOSE = "\ue100", "\ue101", "\ue102"
_SPACE = re.compile(r"\s+")
_SIGN = re.compile(f"[{OPEN}{OR}{CLOSE}]")

# Of the white space before a place: all of it is read, some is ahead, or nothing is read yet.
_NONE, _AHEAD, _BEGIN = range(3)

Digits: TypeAlias = tuple[int, ...]
Readers: TypeAlias = Mapping[str, Callable[[str, int], Iterator[int]]]


def held_out(count: int) -> int:
    """Return how many of ``count`` wordings are held out: the last ones."""
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
    """Return whether a problem is of a split in which wordings and names may occur that are held out."""
    return problem_id.split("/")[1:2] == [HELD_SPLIT]


class Turn:
    """A number that chooses: each choice takes a digit off it.

    ``held`` says whether wordings that are held out may be chosen; then one of two choices is among them.
    ``spent`` are the digits so far, each with the number of wordings that it chose among; ``held_out`` says
    whether a wording was chosen that is held out.
    """

    def __init__(self, number: int, held: bool = False) -> None:
        """Start with a number of 0 or more."""
        self._number, self._held = number, held
        self.spent: list[tuple[int, int]] = []
        self.held_out = False

    def digit(self, count: int) -> int:
        """Return a number below ``count``, the next digit."""
        count_here, offset = count - held_out(count), 0
        if self._held and count_here < count:
            self._number, chosen = divmod(self._number, 2)
            if chosen:
                count_here, offset, self.held_out = count - count_here, count_here, True
        self._number, digit = divmod(self._number, count_here)
        self.spent.append((offset + digit, count))
        return offset + digit


class Steady(Turn):
    """A turn of which every choice spends the same number: of lists as long as each other, the same place."""

    def digit(self, count: int) -> int:
        """Return a number below ``count``."""
        number = self._number
        digit = super().digit(count)
        self._number = number
        return digit


class Followed(Turn):
    """A turn that follows a path, as far as it goes, and then chooses the first wordings."""

    def __init__(self, path: Sequence[int]) -> None:
        """Start at the begin of the path."""
        super().__init__(0)
        self._ahead = list(path)

    def digit(self, count: int) -> int:
        """Return the number on the path."""
        place = len(self.spent)
        digit = self._ahead[place] if place < len(self._ahead) else 0
        self.held_out |= digit >= count - held_out(count)
        self.spent.append((digit, count))
        return digit

    def next(self) -> list[int]:
        """Return the path after this one, in order; empty where this is the last."""
        digits = list(self.spent)
        while digits and digits[-1][0] + 1 == digits[-1][1]:
            digits.pop()
        path = [digit for digit, _ in digits]
        return [*path[:-1], path[-1] + 1] if path else []


class Every:
    """In the place of a turn: all wordings are chosen."""

    @staticmethod
    def of(wordings: Sequence[object]) -> str:
        """Return the wordings as one text, for ``Wordings`` to take apart."""
        return f"{OPEN}{OR.join(map(str, wordings))}{CLOSE}"


EVERY = Every()


Parts: TypeAlias = tuple["str | WordingChoice", ...]


@dataclass(frozen=True)
class WordingChoice:
    """Wordings of which a text has one; each is a sequence of texts and choices."""

    wordings: tuple[Parts, ...]


@dataclass(frozen=True)
class Wordings:
    """All texts that a macro says: a sequence of texts and choices."""

    parts: Parts

    @classmethod
    def of(cls, encoded: str) -> Wordings:
        """Take apart what a macro said with ``EVERY`` for its turn.

        Raises:
            ValueError: the signs of a choice do not match.
        """
        encoded = _SPACE.sub(" ", encoded)
        parts, end = _sequence(encoded, 0)
        if end != len(encoded):
            raise ValueError("a choice of wordings has an end without a beginning")
        return cls(parts)

    @classmethod
    def listed(cls, texts: Sequence[str]) -> Wordings:
        """Return the choice among finished texts."""
        return cls((WordingChoice(tuple((_SPACE.sub(" ", text),) for text in texts)),))

    def said(self, path: Digits) -> str:
        """Return the text of one way to choose, in single spaces."""
        return " ".join("".join(_said(self.parts, iter(path))).split())

    def paths(self) -> Iterator[Digits]:
        """Yield every way to choose, in order."""
        yield from _paths(self.parts)

    def every(self, most: int) -> Iterator[str]:
        """Yield the first ``most`` texts, in order."""
        yield from map(self.said, islice(self.paths(), most))

    def match(self, text: str) -> Digits | None:
        """Return the way to choose that gives ``text``, which has single spaces; None where none does."""
        return next((path for end, path in self.ends(text, 0) if end == len(text)), None)

    def ends(self, text: str, start: int, readers: Readers | None = None) -> Iterator[tuple[int, Digits]]:
        """Yield where a wording that begins at ``start`` ends, and the way to choose it.

        White space in wordings fits single spaces, and nothing at the begin and end of what is read.
        ``readers`` says for marks of one sign what may stand in their places: from a place to where it ends.
        """
        for end, path in _ends(self.parts, text, _Place(start, _BEGIN), readers or {}):
            yield end.at, path

    def longest(self, text: str, start: int) -> int | None:
        """Return where the longest wording that begins at ``start`` ends; None where none does."""
        return max((end for end, _ in self.ends(text, start)), default=None)

    def holds_out(self, path: Digits) -> bool:
        """Return whether a way to choose takes a wording that is held out."""
        return _holds_out(self.parts, iter(path))


def sentence_of(encoded: str, sentence: Callable[[str], str]) -> str:
    """Return what ``sentence`` makes of a text with choices in it: a capital, one closing mark behind all.

    Raises:
        ValueError: a wording at the end closes with another mark than a full stop.
    """
    parts, _ = _sequence(encoded.strip(), 0)
    return _written(_closed(_opened(parts, sentence), sentence)) + "."


def _opened(parts: Parts, sentence: Callable[[str], str]) -> Parts:
    """Return the parts with a capital at the begin."""
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
    """Return what stands from ``at`` to the end, or to the end of the wording."""
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


def _paths(parts: Sequence[str | WordingChoice]) -> Iterator[Digits]:
    choices = [list(_choices(part)) for part in parts if isinstance(part, WordingChoice)]
    for paths in product(*choices):
        yield tuple(digit for path in paths for digit in path)


def _choices(choice: WordingChoice) -> Iterator[Digits]:
    for number, wording in enumerate(choice.wordings):
        for path in _paths(wording):
            yield (number, *path)


def _said(parts: Sequence[str | WordingChoice], path: Iterator[int]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, WordingChoice):
            yield from _said(part.wordings[next(path)], path)
        else:
            yield part


def _holds_out(parts: Sequence[str | WordingChoice], path: Iterator[int]) -> bool:
    is_held_out = False
    for part in parts:
        if isinstance(part, WordingChoice):
            number, count = next(path), len(part.wordings)
            is_held_out |= number >= count - held_out(count)
            is_held_out |= _holds_out(part.wordings[number], path)
    return is_held_out


class _Place(NamedTuple):
    """A place in a text that is read, and what is known of the white space before it."""

    at: int
    space: int


def _ends(
    parts: Sequence[str | WordingChoice], text: str, start: _Place, readers: Readers
) -> Iterator[tuple[_Place, Digits]]:
    """Yield the places where the parts, read from ``start``, end."""
    if not parts:
        yield start, ()
        return
    part, *tail = parts
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
    """Return whether a wording without marks may stand at ``at``, or a space further, by its first words.

    Most wordings of a choice may not, which is seen here in a fraction of the time.
    """
    words = wording[0].strip(" ") if wording and isinstance(wording[0], str) else ""
    return text.startswith(words, at) or text.startswith(words, at + 1)


def _read(piece: str, text: str, start: _Place, readers: Readers) -> Iterator[_Place]:
    """Yield the places where a finished piece of a wording, read from ``start``, ends."""
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
