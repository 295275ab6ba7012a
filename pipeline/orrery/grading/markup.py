"""Convert a reply to plain text: without thoughts, tags, code fences, escapes, Markdown and LaTeX.

Thoughts and tokens that end a turn (``<|im_end|>``) are not part of the reply. Calls in JSON and calls with
keywords become PDDL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from types import MappingProxyType

from .thoughts import without_thoughts

FENCE = "\f"  # a line that replaces the border of a code block
# The mark of an answer; in capitals, it also counts within a line.
ANSWER = re.compile(
    r"(?:^[ \t{_#>-]*(?i:(?:(?:the|my|final|so|correct)[ \t]+){0,3}answers?|antwort|respuesta|r[\u00e9e]ponse"
    r"|risposta|resposta)|\bANSWERS?)[ \t_]*:",
    re.M,
)
_CHINESE_ANSWER = re.compile(r"\u7b54\u6848[ \t]*(?:\u662f|\u4e3a|:)")
_MARKUP = "\"'`*$~\u2018\u2019\u201c\u201d\u00ab\u00bb\u00a0\r\v"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
_BULLETS = "\u2022\u2023\u25e6\u00b7\u25aa\u25cf"
_PLAIN: Mapping[int, str] = MappingProxyType(
    {
        **dict.fromkeys(map(ord, _MARKUP), " "),
        **dict.fromkeys(map(ord, _DASHES), "-"),
        **dict.fromkeys(map(ord, _BULLETS), "- "),
        **{ord("\u2460") + number: f"{number + 1}. " for number in range(20)},  # circled numbers
        0x20E3: ".",  # turns a digit into a key-cap emoji
    }
)
_WIDE: Mapping[int, str] = MappingProxyType(
    {
        **{0xFF01 + offset: chr(0x21 + offset) for offset in range(94)},  # full-width letters, digits, marks
        **dict(zip(map(ord, "\u3000\u3001\u3002\u300c\u300d\u3010\u3011"), " ,.[][]", strict=True)),
        **dict.fromkeys((0xFE0F, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD), ""),  # invisible
    }
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.M)
_ANSWER_TAG = re.compile(r"<(/?)(?:final[ _-]?)?answer>", re.I)
_PLAN_TAG = re.compile(r"<(/?)plan>", re.I)
_INLINE_TAG = re.compile(r"</?(?:b|i|em|strong|u|tt|code|span|sub|sup)>", re.I)
_SINGLE_TAG = re.compile(r"<(?:br|li|p|hr)[ ]?/?>", re.I)
_CLOSING_TAG = re.compile(r"</([a-z][\w-]*)[ ]?>", re.I)
_TAG = re.compile(r"</?([a-z][\w-]*)(?:[ ][^<>]*)?>", re.I)
# Special tokens that end a turn of a model, for example "<|im_end|>", "</s>", "<end_of_turn>".
_SPECIAL = re.compile(r"<\|[\w-]{1,40}\|>|</?s>|<(?:eos|bos|pad|end_of_turn|start_of_turn)>", re.I)
_SIGN = re.compile(r"\\(?:lnot|neg)\b|[¬≠]|!=|(?<![^\s(:\[\"'`*$])!(?=[\w(])|(?<![~\w])~(?=\()")
_LATEX = re.compile(r"\\(?:boxed|text[a-z]*|math[a-z]*|left|right|to|q?quad|[,;:! ()\[\]])")
_LATEX_GROUP = re.compile(r"\\(?:boxed|text[a-z]*|math[a-z]*)[ ]?\{([^{}\\]+(?:\\[^{}][^{}\\]*)*)\}")
_EMPTY_SET = re.compile(r"\\(?:emptyset|varnothing)\b")
_DEEPEST_GROUP = 4
_STRING = r"[\"'][^\"'{}\[\]]{0,300}[\"']"
# A call in JSON: a name with arguments, possibly between a number and a reason.
_CALL = re.compile(
    rf"\{{\s*(?:[\"']\w+[\"']\s*:\s*\d+\s*,\s*)?[\"'](?:action|name|function|operator|predicate)[\"']\s*:\s*"
    rf"[\"']([\w -]+)[\"']\s*,\s*[\"'](?:args|arguments|parameters|params|objects)[\"']\s*:\s*"
    rf"(?:\[([^\[\]{{}}]{{0,300}})\]|\{{([^\[\]{{}}]{{0,300}})\}}|({_STRING}))\s*"
    rf"(?:,\s*[\"']\w+[\"']\s*:\s*{_STRING}\s*)*\}}"
)
_KEY = re.compile(r"[\"'][^\"']*[\"']\s*:")
_KEYWORD = re.compile(r"(?<=[(,])[ ]?[a-z_]\w*[ ]?=[ ]?(?=[\"'\w])", re.I)
_ARROWS = re.compile(r"(?<=\w)[ ]?(?:\u2192|\u21d2|->|=>)[ ]?(?=[\w-]{1,80}[^()\n]{0,80}\))")
_SECTION = re.compile(r"\([ ]?:[a-z]+(?=[\s(])")
_WORD = re.compile(r"[\w-]+")
# An entry and the same in other letters, in the same line: "(stack a b) (STACK A B)".
_IN_OTHER_LETTERS = re.compile(r"\(([^()\n]+)\)[ ]?[-:=]?[ ]?\((?!\1\))(?i:\1)\)")
_INTEGRAL = re.compile(r"(?<![\w.])(\d+)\.0+(?![\w.]*\d|[ ]?:)")  # "6.0", but no time before a step


def without_markup(reply: str) -> str:
    """Return a reply without thoughts, tags, borders of code blocks (``FENCE``), LaTeX, and escapes.

    ``ANSWER:``, ``[PLAN]`` and ``[PLAN END]`` replace the tags of the same meaning.
    """
    text = unescape(without_thoughts(reply))
    if "<" in text:
        text = _without_tags(_SPECIAL.sub("\n", text))
    if not text.isascii():
        text = _CHINESE_ANSWER.sub("\nANSWER: ", text.translate(_WIDE))
    text = _FENCE.sub(FENCE, text)
    for _ in range(_DEEPEST_GROUP):
        text = _LATEX_GROUP.sub(r"\1", text)
    if any(sign in text for sign in "\u00ac\u2260!~\\"):
        text = _SIGN.sub(" not ", text)
    text = _LATEX.sub(" ", _EMPTY_SET.sub("\u2205", text)).replace("\\n", "\n")
    text = text.replace("\\\\", " ").replace("\\", "")
    return _with_calls_in_pddl(_INTEGRAL.sub(r"\1", text) if ".0" in text else text)


def _without_tags(text: str) -> str:
    """Return a text without tags of HTML, and without pairs of any tags; other words in ``<>`` stay."""
    text = _ANSWER_TAG.sub(lambda tag: "\n\n" if tag[1] else "\nANSWER: ", text)
    text = _PLAN_TAG.sub(lambda tag: "\n[PLAN END]\n" if tag[1] else "\n[PLAN]\n", text)
    text = _SINGLE_TAG.sub("\n", _INLINE_TAG.sub(" ", text))
    closed = {name.lower() for name in _CLOSING_TAG.findall(text)}
    return _TAG.sub(lambda tag: "\n" if tag[1].lower() in closed else tag[0], text)


def _with_calls_in_pddl(text: str) -> str:
    """Return a text with ``(name a b)`` for calls in JSON, and without keywords and arrows in parentheses.

    An entry that follows itself in other letters is omitted.
    """
    text = _CALL.sub(_called, text)
    if "(" not in text:
        return text
    text = _KEYWORD.sub("", text) if "=" in text else text
    text = _IN_OTHER_LETTERS.sub(r"(\1)", _SECTION.sub("(", text))
    return _ARROWS.sub(" ", text) if ">" in text or "\u2192" in text or "\u21d2" in text else text


def _called(call: re.Match[str]) -> str:
    """Return the PDDL of a call in JSON; arguments are a list, an object with their values, or a text."""
    arguments = call[2] or _KEY.sub(" ", call[3] or "") or call[4] or ""
    return pddl_of(f"{call[1]} {arguments}")


def pddl_of(words: str) -> str:
    """Return the words of a text in parentheses."""
    return f"({' '.join(_WORD.findall(words))})"


def plain_text(text: str) -> str:
    """Return a text with spaces for quotation marks and emphasis, and ASCII for other punctuation."""
    return text.translate(_PLAIN)
