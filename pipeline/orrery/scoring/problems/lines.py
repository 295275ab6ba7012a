"""Remove marks that models add to the lines of a problem: numbers, bullets, foreign comments, code fences.

None of them can be part of a problem: PDDL names contain no ``#`` and no ``//``, and a hyphen before a
parenthesis occurs only in ``- (either``. Lines count as numbered if all have ascending consecutive numbers.
Time is linear.
"""

from __future__ import annotations

import re

from orrery.scoring.problems.faults import Tolerance

_NUMBER = re.compile(r"[ \t]*+(\d{1,5})(?:[.:)\]][ \t]?|[ \t]*+[|│][ \t]?|[ \t]+|(?=\r?$))")
_BULLET = re.compile(r"^[ \t]*+(?:[-*+•◦▪]|\d{1,5}[.)])[ \t]++(?=\()(?!\(\s*either)", re.MULTILINE)
_FOREIGN = re.compile(r"(?://|#)[^\n]*")
_FENCE = re.compile(r"(?:```|~~~)[a-z]*")
_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
_SECTION = re.compile(r"\(\s*(?::[a-z]|problem(?![^\s()]))")


def unmarked(text: str, before: str) -> tuple[str, frozenset[Tolerance]]:
    """Return a problem without marks, and the kinds of marks; ``before`` precedes it in its line."""
    tolerances: set[Tolerance] = set()
    numbered = _without_numbers(text, before)
    if numbered is not None:
        text = numbered
        tolerances.add(Tolerance.LINE_NUMBERS)
    text, bullets = _BULLET.subn("", text)
    if bullets:
        tolerances.add(Tolerance.BULLETS)
    if "#" in text or "//" in text:
        text, comments = _outside_comments(text)
        if comments:
            tolerances.add(Tolerance.FOREIGN_COMMENTS)
    return text, frozenset(tolerances)


def without_line_numbers(text: str) -> str:
    """Return the text without numbers at the beginning of its lines."""
    return "\n".join(_cut(line) for line in text.split("\n"))


def _cut(line: str) -> str:
    match = _NUMBER.match(line)
    return line[match.end() :] if match else line


def _without_numbers(text: str, before: str) -> str | None:
    """Return the text without its line numbers; None if its lines are not numbered."""
    first = _NUMBER.fullmatch(before)
    if first is None:
        return None
    number, (head, *lines) = int(first[1]), text.split("\n")
    bare_lines = [head]
    for place, line in enumerate(lines):
        match = _NUMBER.match(line)
        if match is None and not line.strip():
            bare_lines.append(line)
        elif match is None or int(match[1]) != number + 1:
            return "\n".join([*bare_lines, *lines[place:]]) if number > int(first[1]) else None
        else:
            number += 1
            bare_lines.append(line[match.end() :])
    return "\n".join(bare_lines) if number > int(first[1]) else None


def _outside_comments(text: str) -> tuple[str, int]:
    """Return the text without foreign comments outside of PDDL comments, and their number."""
    lines, count = text.split("\n"), 0
    for place, line in enumerate(lines):
        code, semicolon, comment = line.partition(";")
        cut, count_in_line = _FOREIGN.subn("", code)
        if count_in_line:
            lines[place], count = cut, count + 1
        else:
            lines[place] = code + semicolon + comment
    return "\n".join(lines), count


def without_fences(text: str) -> str:
    """Return the text without code fences."""
    return _FENCE.sub("", text)


def end_of_sections(text: str) -> int | None:
    """Return the end of the problem at the beginning of ``text``; None if it is not closed.

    The result is also None if it contains other text than sections: a problem that is not closed before its
    fence is not closed by a parenthesis in the prose after it.
    """
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "(":
            if depth == 1 and not _SECTION.match(text, match.start()):
                return None
            depth += 1
        elif token == ")":
            depth -= 1
            if depth == 0:
                return match.end()
        elif depth == 1 and token[0] != ";" and token != "define":
            return None
    return None
