"""Find what a model thought before its answer, in the tags and channels of the models in use.

Thoughts stand in tags (``<think>``, also with a namespace or attributes), in tokens of one model
(``[THINK]``, ``<|START_THINKING|>``, ``<unused94>thought``), in a channel of the Harmony format, or between
two sentences ("Here is my thought process:"). A template of a chat may contain the opening mark. Then only
the closing mark is in the reply, and all text before it is thought.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TAGS = (
    r"(?:[\w-]+:)?(?:think|thinking|thoughts?|thought[_-]process|thinking[_-]process|reasoning|reason|rationale"
    r"|reflection|scratchpad|analysis|deliberation|(?:inner[_-])?monologue|chain[_-]of[_-]thought|cot)"
)
_OPENING = (
    rf"<{_TAGS}(?:\s[^<>]*)?>|\[think\]|\u25c1think\u25b7|<\|start_thinking\|>|<\|begin_of_thought\|>"
    r"|<\|channel\|>\s*(?:analysis|commentary)\b[^<]*<\|message\|>|\Aanalysis(?=[A-Z])"
    r"|<unused94>\s*thought\b|here is my thought process:"
)
_CLOSING = (
    rf"</{_TAGS}\s*>|\[/think\]|\u25c1/think\u25b7|<\|end_thinking\|>|<\|end_of_thought\|>"
    r"|<\|channel\|>\s*final\b[^<]*<\|message\|>|assistantfinal|<unused95>|here is my response:"
)
_TURN_END = r"<\|end\|>"  # closes a channel; without one it ends the reply
_MARK = re.compile(
    rf"(?P<opening>{_OPENING.replace('[A-Z]', '(?-i:[A-Z])')})|(?P<closing>{_CLOSING})|{_TURN_END}", re.I
)
_TOKENS = re.compile(r"<\|[\w-]{1,40}\|>|</s>")  # they end a reply and say nothing
_BEGINNINGS = re.compile(r"[<\[\u25c1]|\Aanalysis|assistantfinal|here is my (?:thought|respo)", re.I)


class Thoughts(NamedTuple):
    """The place of the thoughts in a text: start of the first, end of the last closed one, both 0 if none.

    ``is_open``: the text ends within a thought.
    """

    start: int
    end: int
    is_open: bool


def thoughts_in(text: str) -> Thoughts:
    """Return the place of the thoughts in a reply."""
    start = end = 0
    is_open = False
    for mark in _MARK.finditer(text) if _BEGINNINGS.search(text) else ():
        if mark["opening"]:
            start, is_open = start if end or is_open else mark.start(), True
        elif is_open or mark["closing"]:
            end, is_open = mark.end(), False
    return Thoughts(start, end, is_open)


def without_thoughts(text: str) -> str:
    """Return the answer in a reply: the text after the last thought, or before the first if none follows.

    The result is empty if the reply ends within a thought, because then it has no answer.
    """
    start, end, is_open = thoughts_in(text)
    if is_open:
        return ""
    return text[end:] if _TOKENS.sub("", text[end:]).strip() else text[:start]
