"""Convert a reply to lines of plain text in lower case, and find the marks of the answer.

``[PLAN]`` and ``[PLAN END]`` enclose an answer; ``ANSWER:`` begins one. Text after a new ``[STATEMENT]`` is
not part of the reply.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..markup import ANSWER, pddl_of, plain_text, without_markup
from ..score import bounded, end_of

_PLAN = re.compile(
    r"\[[ ]?(?:(plan(?:[ _-]+(?:start|begin))?|(?:start|begin)[ _-]+(?:of[ _-]+)?plan)"
    r"|/[ ]?plan|plan[ _-]+end|end[ _-]+(?:of[ _-]+)?plan)[ ]?\]",
    re.I,
)
_STATEMENT = re.compile(r"\[statement\]", re.I)
# Lists of strings within JSON: names.
_NAMES = re.compile(r"\[((?:\s*[\"'][\w-]+[\"']\s*(?:,|(?=\])))+)\]")
_IF = re.compile(r"\b(?:if|otherwise|unless)\b", re.I)
_LOOK_BACK = 200  # characters
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class MarkedText:
    """The text that contains the answer, and its mark: ``plan``, ``answer``, or empty for none.

    ``closed``: a mark follows the text. ``below``: the text below this mark.
    """

    text: str
    marked: str
    closed: bool = False
    below: str = ""


def _plain(reply: str) -> str:
    """Return a reply as plain text, with actions for their lists in JSON."""
    text = without_markup(reply)
    if "[" in text and ('"' in text or "'" in text):
        text = _NAMES.sub(lambda names: pddl_of(names[1]), text)
    return plain_text(text)


def marked_text(reply: str) -> MarkedText:
    """Return the text with the answer: after the last mark, or the whole text if there is no mark."""
    text = _plain(reply)
    if "[" in text and (cut := _STATEMENT.search(text)):
        text = text[: cut.start()]
    answers = [mark.end() for mark in ANSWER.finditer(text) if not _is_condition(text, mark.start())]
    plans = list(_PLAN.finditer(text)) if "[" in text else []
    after = max((mark.end() for mark in plans), default=-1)
    # "ANSWER: yes" below a plan only says that there is one, so the plan is the answer.
    if answers and answers[-1] > after and (not plans or _says_more(text[answers[-1] :])):
        return MarkedText(bounded(text[answers[-1] :]).lower(), "answer")
    if plans:
        return _enclosed(text, plans)
    return MarkedText(end_of(text).lower(), "")


def _is_condition(text: str, mark: int) -> bool:
    """Return whether a mark is part of a condition: "if there is no plan, write `ANSWER: none`"."""
    before = text[max(mark - _LOOK_BACK, 0) : mark].rpartition("\n")[2]
    return bool(before) and _IF.search(before) is not None


def _enclosed(text: str, marks: list[re.Match[str]]) -> MarkedText:
    """Return the text between the last ``[PLAN]`` and the next mark, or before a lone end mark."""
    begins = [number for number, mark in enumerate(marks) if mark[1]]
    if not begins:
        return MarkedText(bounded(text[: marks[0].start()]).lower(), "plan", True)
    last = begins[-1]
    ends = marks[last + 1 :]
    enclosed = text[marks[last].end() : ends[0].start() if ends else None]
    below = bounded(text[ends[-1].end() :]).lower() if ends else ""
    return MarkedText(bounded(enclosed).lower(), "plan", bool(ends), below)


def _says_more(text: str) -> bool:
    """Return whether an answer below a plan says more than that a plan exists."""
    words = _WORD.findall(text.lower()[:200])[:4]
    return bool(words) and words[0] not in ("yes", "see", "the", "above", "solvable", "as")
