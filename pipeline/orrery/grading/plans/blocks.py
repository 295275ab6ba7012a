"""Find the block of lines that is the answer: the marked block, or the last readable one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ..markup import FENCE
from ..score import UnreadableAnswer
from ..symbols import Symbols
from ..words import word_set
from .entries import ReplyEntry
from .lines import (
    BLANK,
    DOUBTED,
    ENTRIES,
    PROSE,
    REMARK,
    UNREAD,
    Line,
    is_heading,
    is_label,
    is_remark_on,
    read_line,
)
from .wordings import tokens_of

# An entry, with the position of its line.
NumberedEntry: TypeAlias = "tuple[ReplyEntry, int]"

_COMMENTS = (";", "#", "//", "|-", "---")
_ALTERNATIVES = word_set(
    "or alternatively alternative option options instead another other better plan attempt"
)
_QUOTED = 80


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


def says_nothing(line: Line) -> bool:
    """Return whether a line of a marked block is blank, a comment, a border, a heading, or a remark."""
    text = line.text
    if line.kind in (BLANK, REMARK) or not text.strip("[](){}, \f") or text.startswith(_COMMENTS):
        return True
    return line.kind != DOUBTED and text.endswith(":")


def all_lines(lines: Iterator[Line], is_other: Callable[[], bool]) -> list[NumberedEntry] | None:
    """Return the entries of a marked block. Every line must be readable.

    Args:
        lines: The lines of the block.
        is_other: Returns whether the block is another kind of answer. In this case the result is None.
    """
    entries: list[NumberedEntry] = []
    remarks: list[Line] = []
    unread: Line | None = None
    item: Line | None = None
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


def first_lines(lines: Iterator[Line], is_other: Callable[[], bool]) -> list[NumberedEntry] | None:
    """Return the entries after ``ANSWER:``, up to the first line of other text.

    Prose between two steps is a remark if the numbering continues after it. Arguments: see ``all_lines``.
    """
    entries: list[NumberedEntry] = []
    line_list = list(lines)
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
        if entries and not is_within and _ends(line_list, place):
            break
        if not says_nothing(line):
            if not entries and is_other():
                return None
            if entries or line.kind == DOUBTED or not is_label(line.text):
                raise unreadable(line)
    if not entries:
        raise UnreadableAnswer("no answer found")
    return entries


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
    if line.kind in (DOUBTED, REMARK) or (line.kind == UNREAD and lines[place - 1].kind == ENTRIES):
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
        return next_line is None or next_line.kind not in (ENTRIES, DOUBTED)
    following = lines[place + 1].kind if place + 1 < len(lines) else BLANK
    return following != ENTRIES or line.text.endswith(":") or lines[place - 1].kind == BLANK


@dataclass(slots=True)
class LineBlock:
    """Lines of entries that belong together.

    ``last`` is the list number of the last line, ``bad`` the first unreadable line, ``before`` the words that
    announce the block, and ``end`` the place after it.
    """

    entries: list[NumberedEntry] = field(default_factory=list)
    lines: int = 0
    last: int | None = None
    bad: Line | None = None
    before: str = ""
    end: int = 0


def last_block(lines: Sequence[Line]) -> LineBlock | None:
    """Return the last block of entries. Blocks of one line each are joined, unless one is an alternative.

    Raises:
        UnreadableAnswer: A line of the block doubts an entry, or is an unreadable list item.
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
        block = LineBlock([entry for block in blocks for entry in block.entries], end=block.end)
        block.bad = next((block.bad for block in blocks if block.bad), None)
    if block.bad:
        raise unreadable(block.bad)
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
            bad = _doubt_beside(between[::-1]) or (_unread_amid(between) if blocks else None)
            blocks.append(LineBlock(before=" ".join(text_line.text for text_line in between[-3:]), bad=bad))
        block = blocks[-1]
        block.bad = block.bad or (_unread(between, block.last, line.number) if block.lines else None)
        block.entries += _numbered(line)
        block.lines += 1
        block.last = line.number if line.number is not None else _last_number(between, block.last)
        block.end = place + 1
        between = []
    if blocks:
        blocks[-1].bad = blocks[-1].bad or _doubt_beside(between, {DOUBTED, UNREAD}) or _item_after(between)
    return blocks


def _last_number(between: Sequence[Line], last: int | None) -> int | None:
    return next((line.number for line in reversed(between) if line.number is not None), last)


def _goes_on(block: LineBlock, between: Sequence[Line], line: Line) -> bool:
    """Return whether a line of entries belongs to the block before it."""
    last = block.last
    if line.number is not None and last is not None:
        return line.number > last
    headings = [text_line.number for text_line in between if text_line.number is not None]
    if headings and last is not None:
        return headings[0] > last
    return all(text_line.kind in (BLANK, DOUBTED, REMARK) for text_line in between)


def _unread(between: Sequence[Line], last: int | None, following: int | None) -> Line | None:
    """Return the first line between two entries that doubts one, or is an unreadable list item."""
    for line in between:
        if line.kind == DOUBTED:
            return line
        if last is None or following is None or line.number is None or line.text.endswith(":"):
            continue
        if last < line.number < following:
            return line
    return None


def _unread_amid(between: Sequence[Line]) -> Line | None:
    """Return the first unread line between two lines of entries, if no blank line separates it from both."""
    if any(line.kind == BLANK for line in between):
        return None
    return next((line for line in between if line.kind == UNREAD), None)


def _item_after(lines: Sequence[Line]) -> Line | None:
    """Return the first line after a block, apart from blank ones, if it is an unread item in parentheses."""
    following = next((line for line in lines if line.kind != BLANK), None)
    is_item = following is not None and following.kind == UNREAD and following.text.startswith("(")
    return following if is_item else None


def _doubt_beside(lines: Sequence[Line], kinds: Collection[str] = frozenset([DOUBTED])) -> Line | None:
    """Return the line next to a block, if it doubts an entry, or is of another of ``kinds``."""
    return lines[0] if lines and lines[0].kind in kinds else None
