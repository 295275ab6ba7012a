"""Convert a reply to plain text, and find its answer.

The first applicable rule is used:

1. the last line that begins with ``ANSWER:``, with the following lines as long as they contain only the
   answer (in capitals, ``ANSWER:`` also counts within a line; so does a tag ``<answer>``);
2. the last paragraph, if it contains exactly one well-formed answer;
3. the whole reply, if it contains exactly one well-formed answer.

Anything else is ``unparsed``: there is no guess between several different answers. Reasoning blocks
(``<think>``) and tokens that end a turn (``<|im_end|>``) are not part of the reply. Case, commas, quotes,
missing parentheses, ``name(argument, ...)``, ``pick_up`` for ``pick-up``, numbering, JSON, code fences,
Markdown and LaTeX are tolerated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from .row import Row
from .score import UnreadableAnswer
from .tokens import with_signs_as_words, without_latex_groups, without_special_tokens

# Reads an answer from a text, which may be marked as the answer, or raises UnreadableAnswer.
Read: TypeAlias = Callable[[str, bool], Any]

_MARKUP = "\"'`*#|<>$~\u2018\u2019\u201c\u201d\u00ab\u00bb\u00a0\r"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
_FULL_WIDTH = "\uff1a\uff08\uff09\uff0c"
_PLAIN = str.maketrans(_MARKUP + _DASHES + _FULL_WIDTH, " " * len(_MARKUP) + "-" * len(_DASHES) + ":(),")
_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*$", re.M)
_LATEX = re.compile(r"\\(?:boxed|text[a-z]*|math[a-z]*|left|right|q?quad|[,;:! ()\[\]])")
_EMPTY_SET = re.compile(r"\\(?:emptyset|varnothing)\b")
_MARKER = re.compile(
    r"(?:^[ \t{_-]*(?i:(?:(?:the|my|final|so|correct)[ \t]+){0,3}answers?)|\bANSWERS?)[ \t_]*:", re.M
)
_TAG = re.compile(r"<(/?)(?:final[ _-]?)?answer>", re.I)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


def find_answer(reply: str, read: Read) -> Any:
    """Return the answer of ``reply``, as parsed by ``read``.

    Raises:
        UnreadableAnswer: There is no answer, or no single one.
    """
    text = _plain(reply)
    markers = list(_MARKER.finditer(text))
    if markers:
        before = text[text.rfind("\n", 0, markers[-1].start()) + 1 : markers[-1].start()].rstrip()
        if before.endswith(" or") and _MARKER.search(before):
            raise UnreadableAnswer("repeats between which answers to choose")
        return read(text[markers[-1].end() :].lower(), True)
    text = text.lower().strip()
    last = _PARAGRAPH.split(text)[-1]
    try:
        return read(last, False)
    except UnreadableAnswer:
        if last == text:
            raise
    return read(text, False)


def answer_finder(reader: Callable[[Row], Read]) -> Callable[[str, Row], Any]:
    """Return the function that finds the answer in a reply; ``reader`` returns the reader for a row."""
    return lambda reply, row: find_answer(reply, reader(row))


def only(answers: Iterable[Any], none: str = "no answer found") -> Any:
    """Return the only distinct answer.

    Raises:
        UnreadableAnswer: There are several different answers, or none; ``none`` is the message for no answer.
    """
    different = list(dict.fromkeys(answers))
    if len(different) != 1:
        raise UnreadableAnswer("several different answers" if different else none)
    return different[0]


def _plain(reply: str) -> str:
    """Return the reply without reasoning, code fences, Markdown and LaTeX."""
    text = without_special_tokens(reply)
    if "<" in text:
        # Reasoning without an end was cut off, so no answer follows it.
        text = text.replace("thinking>", "think>").rpartition("</think>")[2].partition("<think>")[0]
        text = _TAG.sub(lambda tag: "\n\n" if tag[1] else "\nANSWER: ", text)
    if "```" in text:
        text = _FENCE.sub("", text)
    text = with_signs_as_words(without_latex_groups(text))
    if "\\" in text:
        text = _LATEX.sub(" ", _EMPTY_SET.sub("\u2205", text)).replace("\\n", "\n").replace("\\", "")
    return text.translate(_PLAIN)
