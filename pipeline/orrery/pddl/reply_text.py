"""Text of replies around their PDDL: closed blocks of reasoning, and characters that look like PDDL's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_TAGS = "think|thinking|thought|reasoning|reflection|scratchpad|analysis"
REASONING_BEGINS = re.compile(rf"<(?:{_TAGS})>", re.IGNORECASE)
_REASONING_ENDS = re.compile(rf"</(?:{_TAGS})>", re.IGNORECASE)

INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
LOOKALIKES: Mapping[str, str] = MappingProxyType(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-")
    | {"\uff08": "(", "\uff09": ")", "\uff1a": ":", "\uff1b": ";"}
)


def end_of_reasoning(text: str) -> int:
    """Return the offset behind the last closed block of reasoning; 0 without such a block."""
    return max((match.end() for match in _REASONING_ENDS.finditer(text)), default=0)
