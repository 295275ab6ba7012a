"""Tokens of PDDL and of other texts, to measure lengths and to compare texts."""

from __future__ import annotations

import re

from orrery.pddl.tree import tokens

TOKENIZER = "pddl-symbols"  # parentheses and the symbols between them, without comments

_WORD = re.compile(r"[?:]?[^\W_][\w-]*|[?:][\w-]+")
# Keywords of the language: two domains share them whatever they describe.
KEYWORDS = frozenset(
    (
        *("define", "domain", "problem", "object", "objects", "either", "total-cost", "minimize", "maximize"),
        *("and", "or", "not", "imply", "when", "forall", "exists", "oneof", "probabilistic"),
        *("increase", "decrease", "assign", "scale-up", "scale-down"),
    )
)


def symbols(text: str) -> list[str]:
    """Return the tokens of a PDDL text in lower case; their number is its length under ``TOKENIZER``."""
    return [token for _, token in tokens(text)]


def content_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without PDDL keywords, words with a colon, and variables."""
    return [word for word in _WORD.findall(text.lower()) if word[0] not in "?:" and word not in KEYWORDS]


def without_comments(text: str) -> str:
    """Return the text without PDDL comments and without lines that contain only comments."""
    lines = (line.partition(";")[0].rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def leading(text: str, count: int) -> tuple[str, str]:
    """Split the text after its token number ``count`` under ``TOKENIZER``; return both parts."""
    read_tokens = list(tokens(text))
    if len(read_tokens) <= count:
        return text, ""
    offset, token = read_tokens[count - 1]
    return text[: offset + len(token)], text[offset + len(token) :]
