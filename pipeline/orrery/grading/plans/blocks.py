"""Find the block of lines that is the answer: the marked block, or the last readable one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from typing import TypeAlias

from ..corrections import refuse_other_entries
from ..markup import FENCE
from ..row import Atom
from ..score import UnreadableAnswer
from ..symbols import Symbols
from ..words import word_set
from .entries import ReplyEntry, mentioned_in
from .lines import (
    BLANK,
    DOUBTED,
    ENTRIES,
    MISREAD,
    PROSE,
    REMARK,
    UNREAD,
    Line,
    is_heading,
    is_label,
    is_remark_on,
    is_statement,
    read_line,
)
from .wordings import tokens_of

# An entry, with the position of its line.
NumberedEntry: TypeAlias = "tuple[ReplyEntry, int]"

_COMMENTS = (";", "#", "//", "|-", "---")
_ALTERNATIVES = word_set(
    "or alternatively alternative option options instead another other better plan attempt"
)
# Words of a line that adds or removes a step of the plan: "also needed: (x)", "remove (x)".
_ADDING_OR_REMOVING = word_set("also plus rather instead better remove ignore drop skip")
_REFUSED = frozenset([DOUBTED, MISREAD])  # kinds of lines that belong to a list of entries beside them
_FORMAL = re.compile(r"\([a-z]|\w\(")
_QUOTED = 80
_MOST_SAID = 2  # words beside an entry that is added or removed


def lines_of(text: str, symbols: Symbols, strict: bool) -> Iterator[Line]:
    """Yield the lines of a text with their positions; blank lines are not counted.

    A line below entries that only tells them again is a remark. Entries below a heading such as "Step 2:"
    have its list number.
    """
    position = 0
    above: Line | None = None
    for text_line in text.split("\n"):
        line = read_line(text_line, symbols, strict)
        position += line.kind != BLANK
        if above is not None:
            line = _below(above, line, symbols)
        if line.kind not in (BLANK, REMARK):
            is_numbered = line.kind == PROSE and line.number is not None
            above = line if line.kind == ENTRIES or is_numbered else None
        yield line._replace(position=position)


def _below(above: Line, line: Line, symbols: Symbols) -> Line:
    """Return a line as read below entries or a heading."""
    if above.kind == PROSE:
        return line._replace(number=above.number) if line.kind == ENTRIES and line.number is None else line
    is_remark = line.kind in (PROSE, UNREAD) and is_remark_on(line.text, above.entries, symbols)
    return line._replace(kind=REMARK) if is_remark else line


def unreadable(line: Line) -> UnreadableAnswer:
    """Return the error that quotes an unreadable line."""
    return UnreadableAnswer(f"line {line.position}: {line.text[:_QUOTED]!r} cannot be read")


def _refuse(line: Line | None) -> None:
    """Raise UnreadableAnswer if there is an unreadable line."""
    if line is not None:
        raise unreadable(line)


def says_nothing(line: Line) -> bool:
    """Return whether a line of a marked block is blank, a comment, a remark, or a heading (of a table)."""
    text = line.text
    if line.kind in (BLANK, REMARK) or not text.strip("[](){}, \f") or text.startswith(_COMMENTS):
        return True
    return (line.kind not in _REFUSED and text.endswith(":")) or (line.kind == PROSE and text[0] == "|")


def all_lines(text: str, symbols: Symbols, is_other: Callable[[], bool]) -> list[NumberedEntry] | None:
    """Return the entries of a marked block. Every line must be readable.

    Args:
        text: The text of the block.
        symbols: The symbols that begin entries.
        is_other: Returns whether the block is another kind of answer. In this case the result is None.
    """
    entries: list[NumberedEntry] = []
    remarks: list[Line] = []
    unread: Line | None = None
    item: Line | None = None
    lines = list(lines_of(text, symbols, True))
    for line in lines:
        if line.kind == ENTRIES:
            if _repeats(item, line):
                continue
            entries += _numbered(line)
            item = line
        elif line.kind == PROSE and not says_nothing(line):
            remarks.append(line)
        elif unread is None and not says_nothing(line):
            unread = line
    if unread is None and (entries or not remarks):
        refuse_others(lines, entries, symbols)
        return entries
    if not entries and is_other():
        return None
    raise unreadable(unread or remarks[0])


def _numbered(line: Line) -> list[NumberedEntry]:
    return [(entry, line.position) for entry in line.entries]


def _repeats(item: Line | None, line: Line) -> bool:
    """Return whether a line below a numbered item says the same as the item: "- Action: (pick-up b1)"."""
    if item is None or item.number is None or line.number is not None:
        return False
    return line.entries == item.entries


def first_lines(text: str, symbols: Symbols, is_other: Callable[[], bool]) -> list[NumberedEntry] | None:
    """Return the entries after ``ANSWER:``, up to the first line of other text.

    Prose between two steps is a remark if the numbering continues after it. Arguments: see ``all_lines``.
    """
    entries: list[NumberedEntry] = []
    line_list = list(lines_of(text, symbols, True))
    next_numbers = _next_numbers(line_list)
    item: Line | None = None
    for place, line in enumerate(line_list):
        if line.kind == ENTRIES:
            if not _repeats(item, line):
                entries += _numbered(line)
                item = line
            continue
        is_within = item is not None and item.number is not None and next_numbers[place] == item.number + 1
        if (line.kind == PROSE and is_within) or _is_heading_after(item, line):
            continue
        if item and not is_within and _ends(line_list, place):
            _refuse(_misread_below(line_list[place:], item, len(entries), 0))
            break
        if not says_nothing(line):
            if not entries and is_other():
                return None
            if entries or line.kind in _REFUSED or not is_label(line.text):
                raise unreadable(line)
    if not entries:
        raise UnreadableAnswer("no answer found")
    refuse_others(line_list, entries, symbols)
    return entries


def refuse_others(lines: Iterable[Line], entries: Iterable[NumberedEntry], symbols: Symbols) -> None:
    """Raise UnreadableAnswer if a remark beside or below entries changes them."""
    atoms = {entry.atom for entry, _ in entries if entry.positive}
    below = list(dropwhile(lambda line: line.kind != ENTRIES, lines))
    refuse_other_entries((line.text for line in below), symbols, atoms)
    _refuse(next((line for line in below if _adds_or_removes(line, atoms, symbols)), None))


def _adds_or_removes(line: Line, atoms: AbstractSet[Atom], symbols: Symbols) -> bool:
    """Return whether a line that is not read adds or removes an entry of the answer, and says no more."""
    words = tokens_of(line.text)
    if line.kind == ENTRIES or _ADDING_OR_REMOVING.isdisjoint(words) or is_statement(words):
        return False
    entries, prose = mentioned_in(line.text, symbols)
    said = [token for token in prose if isinstance(token, tuple) or token.isalnum()]
    return len(said) <= _MOST_SAID and any(entry.atom in atoms for entry in entries)


def _is_heading_after(item: Line | None, line: Line) -> bool:
    """Return whether a line is a heading that may continue the list of an entry: its number is higher."""
    follows = item is None or line.number is None or (item.number is not None and line.number > item.number)
    return follows and is_heading(line)


def _next_numbers(lines: Sequence[Line]) -> list[int | None]:
    """Return the list number of the next line of entries, for each line."""
    numbers: list[int | None] = []
    following: int | None = None
    for line in reversed(lines):
        following = line.number if line.kind == ENTRIES else following
        numbers.append(following)
    return numbers[::-1]


def _ends(lines: Sequence[Line], place: int) -> bool:
    """Return whether the answer ends at a line: it is not an entry, and no entry follows directly."""
    line = lines[place]
    if line.kind in (*_REFUSED, REMARK):
        return False
    lines_above = (lines[number] for number in range(place - 1, -1, -1))
    above = next((other for other in lines_above if other.kind not in (BLANK, REMARK)), line)
    is_beside = lines[place - 1].kind == ENTRIES or is_heading(above) or _is_alike(line, above)
    if line.kind == UNREAD and is_beside:
        return False
    if line.kind == BLANK or line.text == FENCE:
        next_line = next(
            (
                line_after
                for line_after in lines[place : place + 9]
                if line_after.text and line_after.text != FENCE
            ),
            None,
        )
        is_next = next_line is not None and next_line.kind in (ENTRIES, *_REFUSED)
        return not is_next and (next_line is None or not _is_alike(next_line, above))
    following = lines[place + 1].kind if place + 1 < len(lines) else BLANK
    return following != ENTRIES or line.text.endswith(":") or lines[place - 1].kind == BLANK


@dataclass(slots=True)
class LineBlock:
    """Lines of entries that belong together.

    ``first`` is the first line, ``above`` the lines between the block before and this one, ``last`` the list
    number of the last line, ``bad`` the first unreadable line, ``end`` the place after the block, and
    ``blanks`` the number of blank lines between two of its lines.
    """

    first: Line
    above: Sequence[Line] = ()
    entries: list[NumberedEntry] = field(default_factory=list)
    lines: int = 0
    last: int | None = None
    bad: Line | None = None
    end: int = 0
    blanks: int = 0

    @property
    def before(self) -> str:
        """The words that announce the block."""
        return " ".join(line.text for line in self.above[-3:])


def last_block(lines: Sequence[Line], symbols: Symbols) -> LineBlock | None:
    """Return the last block of entries. Blocks of one line each are joined, unless one is an alternative.

    Raises:
        UnreadableAnswer: A line of the block doubts an entry, or is an unreadable list item, or a line below
            changes the answer.
    """
    blocks = _blocks(lines)
    if not blocks:
        return None
    block = blocks[-1]
    if (
        len(blocks) > 1
        and all(block.lines == 1 for block in blocks)
        and not any(map(_says_other, blocks[1:]))
    ):
        entries = [entry for block in blocks for entry in block.entries]
        block = LineBlock(blocks[0].first, entries=entries, end=block.end)
        block.bad = next((block.bad for block in blocks if block.bad), None)
    _refuse(block.bad)
    refuse_others(lines[block.end - 1 :], block.entries, symbols)
    return block


def _says_other(block: LineBlock) -> bool:
    """Return whether the words before a block announce an alternative answer, not the next entry."""
    return any(token in _ALTERNATIVES for token in tokens_of(block.before))


def _blocks(lines: Sequence[Line]) -> list[LineBlock]:
    """Return the blocks of entries. Prose separates blocks, unless the numbering continues after it."""
    blocks: list[LineBlock] = []
    between: list[Line] = []
    item: Line | None = None
    for place, line in enumerate(lines):
        if line.kind != ENTRIES:
            between.append(line)
            continue
        if blocks and item is not None and _repeats(item, line):
            between = []
            continue
        item = line
        if not blocks or not _goes_on(blocks[-1], between, line):
            blocks.append(LineBlock(line, above=between, bad=_unread_amid(between) if blocks else None))
        block = blocks[-1]
        block.bad = block.bad or (_unread(between, block, line.number) if block.lines else None)
        block.blanks = sum(line.kind == BLANK for line in between) if block.lines else 0
        block.entries += _numbered(line)
        block.lines += 1
        block.last = line.number if line.number is not None else _last_number(between, block.last)
        block.end = place + 1
        between = []
    for block in blocks:
        block.bad = block.bad or _misread_beside(block.above[::-1], block.first, block.blanks, -1)
    if blocks and item is not None:
        block = blocks[-1]
        block.bad = block.bad or _misread_below(between, item, block.lines, block.blanks)
    return blocks


def _last_number(between: Sequence[Line], last: int | None) -> int | None:
    return next((line.number for line in reversed(between) if line.number is not None), last)


def _goes_on(block: LineBlock, between: Sequence[Line], line: Line) -> bool:
    """Return whether a line of entries belongs to the block before it."""
    last = block.last
    if line.number is not None and last is not None:
        return line.number > last
    headings = [text_line.number for text_line in between if text_line.number is not None]
    if headings:
        return headings[0] > (block.lines if last is None else last)
    return all(text_line.kind in (BLANK, REMARK, *_REFUSED) for text_line in between)


def _unread(between: Sequence[Line], block: LineBlock, following: int | None) -> Line | None:
    """Return the first line between two entries that doubts one, or is an unreadable list item.

    An unread line below a heading has the number of the heading.
    """
    last = block.lines if block.last is None else block.last
    number: int | None = None
    for line in between:
        if line.kind in _REFUSED:
            return line
        number = line.number if line.number is not None else number
        is_item = line.number is not None or line.kind == UNREAD
        if following is None or number is None or not is_item or line.text.endswith(":"):
            continue
        if last < number < following:
            return line
    return None


def _unread_amid(between: Sequence[Line]) -> Line | None:
    """Return the first unread line between two lines of entries.

    It counts if no blank line separates it from both, or if all lines between them are unread.
    """
    unread = [line for line in between if line.kind == UNREAD]
    blank = sum(line.kind == BLANK for line in between)
    return unread[0] if unread and (not blank or len(unread) + blank == len(between)) else None


def _misread_below(lines: Sequence[Line], entry: Line, number: int, blanks: int) -> Line | None:
    """Return the line that may belong to the list above it: an unread one, or the next item.

    An unread line is directly below, or in parentheses. ``number`` is the number of the last entry, if it has
    none itself. Other arguments: see ``_misread_beside``.
    """
    following = next((line for line in lines if line.kind != BLANK), None)
    if following and following.kind == UNREAD and (following is lines[0] or following.text.startswith("(")):
        return following
    entry = entry if entry.listed else entry._replace(number=number)
    return _misread_beside(lines, entry, blanks, 1)


def _misread_beside(lines: Sequence[Line], entry: Line, blanks: int, step: int) -> Line | None:
    """Return the line next to a line of entries that belongs to its list and is no entry.

    Args:
        lines: The lines on one side, the nearest one first.
        entry: The first or last line of entries.
        blanks: The number of blank lines between two lines of entries.
        step: The difference between the list numbers of such a line and of the entry.
    """
    passed = list(takewhile(lambda line: line.kind in (BLANK, REMARK) or is_heading(line), lines))
    if len(passed) == len(lines):
        return None
    line, kinds = lines[len(passed)], [line.kind for line in passed]
    adjacent = kinds.count(BLANK) <= blanks
    is_headed = PROSE in kinds and entry.number is not None and line.kind == UNREAD
    is_beside = line.kind == DOUBTED and not passed
    if line.kind == MISREAD or is_beside or is_headed or (adjacent and _is_alike(line, entry)):
        return line
    is_of_list = _is_of_list(line, entry, adjacent, step)
    return line if is_of_list and not is_statement(tokens_of(line.text)) else None


def _is_alike(line: Line, entry: Line) -> bool:
    """Return whether an unread line beside an entry in words is laid out like it, or begins with a label."""
    if line.kind != UNREAD or line.listed or _FORMAL.search(entry.text):
        return False
    return ":" in line.text[:-1] or not (entry.listed or line.text.endswith(":"))


def _is_of_list(line: Line, entry: Line, adjacent: bool, step: int) -> bool:
    """Return whether a line is an item of the list of an entry beside it: the next number, or a bullet."""
    if line.text.endswith(":") or not line.listed:
        return False
    if line.number is None or entry.number is None:
        return adjacent and entry.listed and line.number == entry.number
    return line.number - entry.number == step
