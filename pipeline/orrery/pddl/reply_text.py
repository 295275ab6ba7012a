"""Remove marks around the PDDL of a reply: escapes of JSON, quotation marks, line numbers, marks of a diff.

None of these marks can be part of PDDL. A mark counts only if the lines of the whole definition have it, so
that PDDL without marks stays as it is. Time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

BEGINS = re.compile(r"\(\s*(?:define|:action)\b", re.I)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_SPACES = {"n": "\n", "r": "\n", "t": " "}
_QUOTE = re.compile(r"[ \t]*(?:(?:>|&gt;)[ \t]?)+")
_NUMBER = re.compile(r"[ \t]*(\d{1,5})(?:(?:[.:)\]]|[ \t]*[|│])[ \t]?|[ \t]+|$)")
_DIFF = re.compile(r"\+(?!\+)[ \t]?|[ \t]|$")
_REMOVED = re.compile(r"-(?![\w-])|-[ \t]*\(|@@|\+\+\+|---|diff |index ")
_END = re.compile(r"[ \t]*(?:```|~~~|</)")


def unwrapped(text: str) -> str:
    """Return a reply with its PDDL unescaped and unmarked; other text is returned unchanged."""
    if "\\n" in text and BEGINS.search(text):
        text = _ESCAPE.sub(_unescaped, text)
    lines = text.split("\n")
    first = next((place for place, line in enumerate(lines) if BEGINS.search(line)), None)
    if first is None:
        return text
    last = next((place for place in range(first + 1, len(lines)) if _END.match(lines[place])), len(lines))
    for strip in (_unquoted, _unnumbered, _without_diff_marks):
        bare = strip(lines[first:last])
        if bare is not None:
            return "\n".join([*lines[:first], *bare, *lines[last:]])
    return text


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _SPACES.get(escape[2], escape[2])


def _unquoted(lines: Sequence[str]) -> list[str] | None:
    """Return the lines without ``> `` at their beginning; None if the first one has no such mark."""
    if not _QUOTE.match(lines[0]):
        return None
    return [_without(_QUOTE, line) for line in lines]


def _unnumbered(lines: Sequence[str]) -> list[str] | None:
    """Return the lines without their numbers; None unless the numbers of the first lines are consecutive."""
    numbers = [int(number[1]) if (number := _NUMBER.match(line)) else None for line in lines if line.strip()]
    begin = numbers[0] if numbers else None
    numbered = [n for place, n in enumerate(numbers) if begin is not None and n == begin + place]
    if begin is None or len(numbered) < 2:
        return None
    return [_without(_NUMBER, line) for line in lines]


def _without_diff_marks(lines: Sequence[str]) -> list[str] | None:
    """Return the added and the unchanged lines of a diff; None if the lines are no diff."""
    kept = [line for line in lines if not _REMOVED.match(line)]
    if not lines[0].startswith("+") or not all(map(_DIFF.match, kept)):
        return None
    return [_without(_DIFF, line) for line in kept]


def _without(mark: re.Pattern[str], line: str) -> str:
    match = mark.match(line)
    return line[match.end() :] if match else line
