"""Convert a reply to plain text: without reasoning, tags, code fences, Markdown and LaTeX.

Reasoning blocks (``<think>``) and tokens that end a turn (``<|im_end|>``) are not part of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

FENCE = "\f"  # a line that replaces the border of a code block
# The mark of an answer; in capitals, it also counts within a line.
ANSWER = re.compile(
    r"(?:^[ \t{_#>-]*(?i:(?:(?:the|my|final|so|correct)[ \t]+){0,3}answers?)|\bANSWERS?)[ \t_]*:", re.M
)
_MARKUP = "\"'`*$~\u2018\u2019\u201c\u201d\u00ab\u00bb\u00a0\r\v"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
_BULLETS = "\u2022\u2023\u25e6\u00b7\u25aa\u25cf"
_WIDE = "\uff1a\uff08\uff09\uff0c\uff1b"
_PLAIN: Mapping[int, str] = MappingProxyType(
    {
        **dict.fromkeys(map(ord, _MARKUP), " "),
        **dict.fromkeys(map(ord, _DASHES), "-"),
        **dict.fromkeys(map(ord, _BULLETS), "- "),
        **dict(zip(map(ord, _WIDE), ":(),;", strict=True)),
        **{ord("\u2460") + number: f"{number + 1}. " for number in range(20)},  # circled numbers
        **{0xFE0F: "", 0x20E3: "."},  # turns a digit into a key-cap emoji
    }
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.M)
_ANSWER_TAG = re.compile(r"<(/?)(?:final[ _-]?)?answer>", re.I)
# Special tokens that end a turn of a model, for example "<|im_end|>", "</s>", "<end_of_turn>".
_SPECIAL = re.compile(r"<\|[\w-]{1,40}\|>|</?s>|<(?:eos|bos|pad|end_of_turn|start_of_turn)>", re.I)
_SIGN = re.compile(r"\\(?:lnot|neg)\b|[¬≠]|!=|(?<![^\s(:\[\"'`*$])!(?=[\w(])|(?<![~\w])~(?=\()")
_LATEX = re.compile(r"\\(?:boxed|text[a-z]*|math[a-z]*|left|right|to|q?quad|[,;:! ()\[\]])")
_LATEX_GROUP = re.compile(r"\\(?:boxed|text[a-z]*|math[a-z]*)[ ]?\{([^{}\\]+(?:\\[^{}][^{}\\]*)*)\}")
_EMPTY_SET = re.compile(r"\\(?:emptyset|varnothing)\b")
_DEEPEST_GROUP = 4


def without_markup(reply: str) -> str:
    """Return a reply without reasoning, tags, borders of code blocks (``FENCE``), LaTeX, and escapes."""
    text = reply
    if "<" in text:
        # Reasoning without an end was cut off, so no answer follows it.
        text = _SPECIAL.sub("\n", text).replace("thinking>", "think>")
        text = text.rpartition("</think>")[2].partition("<think>")[0]
        text = _ANSWER_TAG.sub(lambda tag: "\n\n" if tag[1] else "\nANSWER: ", text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(FENCE, text)
    for _ in range(_DEEPEST_GROUP if "\\" in text else 0):
        text = _LATEX_GROUP.sub(r"\1", text)
    if any(sign in text for sign in "\u00ac\u2260!~\\"):
        text = _SIGN.sub(" not ", text)
    if "\\" in text:
        text = _LATEX.sub(" ", _EMPTY_SET.sub("\u2205", text)).replace("\\n", "\n")
        text = text.replace("\\\\", " ").replace("\\", "")
    return text


def plain_text(text: str) -> str:
    """Return a text with spaces for quotation marks and emphasis, and ASCII for other punctuation."""
    return text.translate(_PLAIN)
