"""Answers made of facts or actions: one of them, or a list.

Remarks behind the entries of a list are passed over, unless they deny. What is put in the negative is no
answer, nor is "none" together with one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .atoms import AtomSet
from .effect_labels import sections_of
from .names import KnownNames
from .reply import Read
from .row import Row
from .score import UnreadableAnswer
from .tokens import (
    ATOM,
    DENIALS,
    DENIED,
    MARK,
    NEWLINE,
    NONE,
    WORD,
    Token,
    is_prose,
    runs_of,
    says_none,
    tokens_of,
    word_set,
)

_REASONS = word_set("because since")


def reader_of_atoms(
    read: Callable[[list[Token], bool], Any], names_of: Callable[[Row], KnownNames], row: Row
) -> Read:
    """Return a reader of answers made of facts, or of actions.

    Args:
        read: Takes the tokens of a text, and whether it is marked as the answer.
        names_of: The names that such answers begin with, and the objects.
        row: The row that replies are read for.
    """
    names = names_of(row)

    def read_text(text: str, marked: bool) -> Any:
        """Return what ``read`` makes of the tokens of a text."""
        return read(_marked_tokens(text, names) if marked else tokens_of(text, names, False), marked)

    return read_text


def read_set(tokens: list[Token], marked: bool) -> AtomSet:
    """Return a list of facts or actions, in any order, as a set; the empty set for None."""
    tokens = asserted(tokens, marked)
    return _single(runs_of(tokens), tokens, marked)


def read_one(tokens: list[Token], marked: bool) -> AtomSet:
    """Return one fact or action, as a set; the empty set for None."""
    tokens = asserted(tokens, marked)
    return _single([frozenset([atom]) for atom in frozenset().union(*runs_of(tokens))], tokens, marked)


def asserted(tokens: list[Token], marked: bool) -> list[Token]:
    """Return ``tokens`` without remarks and, where ``marked``, without reasons.

    Raises:
        UnreadableAnswer: The answer is denied, or contradicts itself.
    """
    tokens = _without_reasons(tokens) if marked else tokens
    if any(what == DENIED for what, _ in tokens):
        raise UnreadableAnswer("the answer is put in the negative")
    first = next((what for what, _ in tokens if what != MARK), "")
    if marked and first == NONE and any(what == ATOM for what, _ in tokens):
        raise UnreadableAnswer("says none and names an answer too")
    return _without_remarks(tokens)


def _single(found: list[AtomSet], tokens: list[Token], marked: bool) -> AtomSet:
    """Return the only answer found, or the empty set where the reply says none."""
    if not found and says_none(tokens, marked):
        return frozenset()
    if len(found) != 1:
        raise UnreadableAnswer("several different answers" if found else "no answer found")
    return found[0]


def _marked_tokens(text: str, names: KnownNames) -> list[Token]:
    """Return what the ``ANSWER:`` line says, with the following lines that only continue the answer.

    Where its first entry has a remark, entries with remarks go on too.
    """
    found: list[Token] = []
    begun = remarks = False
    for line in text.split("\n"):
        tokens = tokens_of(line, names, True)
        prose = any(is_prose(token) for _, section in sections_of(tokens) for token in section)
        if begun and prose and not (remarks and _is_entry(tokens)):
            break
        if not begun:
            begun, remarks = any(what != MARK for what, _ in tokens), prose and _is_entry(tokens)
        found += tokens
        found.append(NEWLINE)
    return found


def _is_entry(line: list[Token]) -> bool:
    """Return whether a line of tokens is one atom with at most a remark after it that does not deny."""
    atoms = [index for index, (what, _) in enumerate(line) if what in (ATOM, DENIED)]
    if len(atoms) != 1 or line[atoms[0]][0] == DENIED or any(map(is_prose, line[: atoms[0]])):
        return False
    return not any(what == WORD and value in DENIALS for what, value in line)


def _without_remarks(tokens: list[Token]) -> list[Token]:
    """Return ``tokens`` without the remarks behind the entries of a list with one entry a line."""
    lines: list[list[Token]] = [[]]
    for token in tokens:
        lines[-1].append(token)
        if token == NEWLINE:
            lines.append([])
    entries = [line for line in lines if any(what in (ATOM, DENIED) for what, _ in line)]
    if len(entries) < 2 or not all(map(_is_entry, entries)):
        return tokens
    kept = [[token for token in line if not is_prose(token)] if _is_entry(line) else line for line in lines]
    return [token for line in kept for token in line]


def _without_reasons(tokens: list[Token]) -> list[Token]:
    """Return ``tokens`` without what follows "because" in a line that has named something before it."""
    kept: list[Token] = []
    named = reason = False
    for what, value in tokens:
        if value == "\n":
            named = reason = False
        reason = reason or (named and what == WORD and value in _REASONS)
        named = named or what in (ATOM, DENIED, NONE)
        if not reason:
            kept.append((what, value))
    return kept
