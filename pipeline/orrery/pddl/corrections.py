"""Find text below the PDDL of a reply that changes it: other sections, or a sentence that corrects it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from orrery.grading.words import CORRECTING, CORRECTION
from orrery.pddl.faults import SourceText
from orrery.pddl.recover import recover
from orrery.pddl.tree import Node, tokens

LONGEST_QUOTE = 80
_ELLIPSIS = re.compile(r"\.\.|[\u2026\[\]{}]|<\w")
_WORD = re.compile(r"\??[\w-]+|\(")
_OF_NAMES = frozenset({":objects", ":types", ":constants"})
_COMMON = frozenset({"and", "or", "not", "when", "define", "problem", "domain", "object"})


def is_elided(section: str) -> bool:
    """Return whether a section is a template, such as ``(:goal ...)`` or ``(:init <facts>)``."""
    return _ELLIPSIS.search(section) is not None


def change_below(pddl: str, following: str, heads: Collection[str]) -> str:
    """Return the begin of the text below PDDL that changes it; empty if none does.

    It is another section with one of these heads, also in an unfinished definition; or it begins with a word
    such as "wait" and has words of the PDDL: beside parentheses if lists begin with them there.
    """
    below = list(_sections(following, heads))
    written = set(_sections(pddl, heads)) if below else set()
    if other := next((section for section in below if section not in written), None):
        return " ".join(other)[:LONGEST_QUOTE]
    text = following.lower()
    correction = CORRECTION.search(text)
    pairs = list(pairwise(token for _, token in tokens(pddl))) if correction else []
    if correction is None or any(word in CORRECTING for _, word in pairs):  # an action may be named wait
        return ""
    begun = {word for before, word in pairs if before == "("} - _COMMON
    others = {word for before, word in pairs if before != "(" and len(word) > 1} - _COMMON
    told = list(pairwise(_WORD.findall(text, correction.start())))
    is_of_pddl = any(word in (begun if before == "(" else others) for before, word in told)
    is_call = any(word in begun and after == "(" for word, after in told)
    return text[correction.start() :].strip()[:LONGEST_QUOTE] if is_of_pddl or is_call else ""


def _sections(text: str, heads: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yield the words of the sections of a text that are neither templates nor only mentioned."""
    recovered = recover(SourceText(text))
    items = (item for node in recovered.lists for item in (node if node.head == "define" else [node]))
    for node in items:
        if isinstance(node, Node) and node.head in heads:
            section = recovered.text_of(node)
            has_names = node.head in _OF_NAMES and len(node) > 1
            says_something = has_names or any(isinstance(item, Node) and item for item in node)
            if says_something and not is_elided(section):
                yield tuple(token for _, token in tokens(section))
