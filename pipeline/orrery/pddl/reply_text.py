"""Remove marks around the PDDL of a reply: escapes of JSON, quotation marks, line numbers, marks of a diff.

Comments of other languages are removed too. None of these marks can be part of PDDL. They are removed only
where a definition begins behind one, and from the lines after it as long as they have one. Time is linear.
"""

from __future__ import annotations

import re

BEGINS = re.compile(r"\(\s*(?:define|:action)\b", re.I)
QUOTE = re.compile(r"^[ \t]*+(?:(?:>|&gt;)[ \t]*+)++", re.MULTILINE)
_NUMBER = re.compile(r"[ \t]*+(\d{1,5})(?:[.:)\]][ \t]?|[ \t]*+[|│][ \t]?|[ \t]+|(?=\r?$))")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_SPACES = {"n": "\n", "r": "\n", "t": " "}
_DIFF = re.compile(r"[+ \t@\\-]|$")
_REMOVED = re.compile(r"-|@@|\\")
_FOREIGN = re.compile(r"//|#(?!t[\s)])")  # "#t" is the time of a process
_END = re.compile(r"^[ \t]*(?:```|~~~|</)", re.MULTILINE)


def unwrapped(text: str) -> str:
    """Return a reply with the marks around its PDDL removed; all other text is unchanged."""
    pieces, at = [], 0
    while (begin := BEGINS.search(text, at)) is not None:
        line = max(text.rfind("\n", at, begin.start()) + 1, at)
        fence = _END.search(text, begin.end())
        end = fence.start() if fence else len(text)
        pieces += [text[at:line], without_comments(_unmarked(text[line:end], begin.start() - line))]
        at = end
    return "".join([*pieces, text[at:]])


def _unmarked(text: str, start: int) -> str:
    """Return lines without marks; a definition begins at ``start`` of the first line."""
    if (bare := _without_diff_marks(text, start)) is not None:
        return bare
    before, segment = text[:start], text[start:]
    if quote := QUOTE.match(before):
        before, segment = before[quote.end() :], _without_leading(QUOTE, segment)
    if (bare := without_numbers(segment, before)) is not None:
        before, segment = "", bare
    first, end, following = segment.partition("\n")
    if "\\n" in first.partition(";")[0]:  # the string of JSON ends with its line
        return _unescaped(before + first) + end + following
    return before + segment


def _without_leading(mark: re.Pattern[str], text: str) -> str:
    """Return a text without a mark at the beginning of its lines, up to the first line without it."""
    first, *lines = text.split("\n")
    matches = [mark.match(line) for line in lines]
    marked = next((n for n, match in enumerate(matches) if match is None), len(lines))
    bare = [line[match.end() :] for line, match in zip(lines[:marked], matches, strict=False) if match]
    return "\n".join([first, *bare, *lines[marked:]])


def without_numbers(text: str, before: str) -> str | None:
    """Return a definition without the numbers of its lines; None if its lines are not numbered.

    ``before`` precedes it in its line. Numbers are removed as long as they are consecutive.
    """
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


def without_line_numbers(text: str) -> str:
    """Return a text without numbers at the beginning of its lines, whether consecutive or not."""
    return "\n".join(
        line[match.end() :] if (match := _NUMBER.match(line)) else line for line in text.split("\n")
    )


def without_comments(text: str) -> str:
    """Return a text without the comments of other languages (``//``, ``#``) within its definitions.

    They end with their lines. None is within a comment of PDDL.
    """
    if "#" not in text and "//" not in text:
        return text
    lines, depth = text.split("\n"), 0
    for place, line in enumerate(lines):
        code = line.partition(";")[0]
        if depth > 0 or BEGINS.search(code):
            if foreign := _FOREIGN.search(code):
                lines[place] = code = code[: foreign.start()]
            depth += code.count("(") - code.count(")")
    return "\n".join(lines)


def _without_diff_marks(text: str, start: int) -> str | None:
    """Return the added and the unchanged lines of a diff; None if the lines are no diff."""
    lines = text.split("\n")
    is_diff = text[:start].strip(" \t") in ("+", "-", "") and any(line.startswith("+") for line in lines)
    if not is_diff or not all(map(_DIFF.match, lines)):
        return None
    return "\n".join(line[1:] for line in lines if not _REMOVED.match(line))


def _unescaped(text: str) -> str:
    """Return a string of JSON without its escapes."""
    decoded = _ESCAPE.sub(
        lambda escape: chr(int(escape[1], 16)) if escape[1] else _SPACES.get(escape[2], escape[2]), text
    )
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
