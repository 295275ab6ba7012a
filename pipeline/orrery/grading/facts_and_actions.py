"""Answers made of facts or actions: one of them, or a list.

Remarks behind the entries of a list are passed over, unless they deny. What is put in the negative is no
answer, nor is "none" together with one; a later sentence of the line may say what is none.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any

from .atoms import AtomSet
from .effect_labels import sections_of
from .names import KnownNames
from .rejection import REJECTING, is_rejected
from .reply import Read
from .row import Row
from .score import UnreadableAnswer
from .tokens import (
    ASIDE,
    ATOM,
    DENIALS,
    DENIED,
    ENDS,
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
_CHOOSING = word_set("or nor either maybe perhaps else")
_AVOIDING = word_set("never avoid don shouldn mustn")
_DENYING = REJECTING | _AVOIDING
# What may stand between "never" and the action that is not to be done.
_DOING = word_set("t do use choose take perform execute apply select try pick the action")
_OTHERS = word_set("of else other others more besides further additional")


def reader_of_atoms(
    read: Callable[[list[Token], bool], Any],
    names_of: Callable[[Row], KnownNames],
    row: Row,
    labels: bool = False,
) -> Read:
    """Return a reader of answers made of facts, or of actions.

    Args:
        read: Takes the tokens of a text, and whether it is marked as the answer.
        names_of: The names that such answers begin with, and the objects.
        row: The row that replies are read for.
        labels: Whether such answers have labels, as "positive effects:".
    """
    names = names_of(row)

    def read_text(text: str, marked: bool) -> Any:
        """Return what ``read`` makes of the tokens of a text."""
        text = names.spelled(text)
        tokens = _marked_tokens(text, names, labels) if marked else tokens_of(text, names, False)
        return read(tokens, marked)

    return read_text


def read_set(tokens: list[Token], marked: bool) -> AtomSet:
    """Return a list of facts or actions, in any order, as a set; the empty set for None."""
    tokens = asserted(tokens, marked)
    return _single(runs_of(tokens), tokens, marked)


def read_one(tokens: list[Token], marked: bool, impossible: bool = False) -> AtomSet:
    """Return one fact or action, as a set; the empty set for None. See ``asserted``."""
    tokens = asserted(tokens, marked, impossible)
    return _single([frozenset([atom]) for atom in frozenset().union(*runs_of(tokens))], tokens, marked)


def asserted(tokens: list[Token], marked: bool, impossible: bool = False) -> list[Token]:
    """Return ``tokens`` without remarks and, where ``marked``, without reasons.

    Args:
        tokens: The tokens of a text.
        marked: Whether it is marked as the answer.
        impossible: Whether what is asked for is impossible, as an unreachable fact is.

    Raises:
        UnreadableAnswer: The answer is denied, or contradicts itself.
    """
    tokens = _without_reasons(tokens) if marked else tokens
    tokens = _without_denials(tokens, impossible)
    if _says_none_too(tokens, marked):
        raise UnreadableAnswer("says none and names an answer too")
    return _without_remarks(tokens)


def _single(found: list[AtomSet], tokens: list[Token], marked: bool) -> AtomSet:
    """Return the only answer found, or the empty set where the reply says none."""
    if not found and says_none(tokens, marked):
        return frozenset()
    if len(found) != 1:
        raise UnreadableAnswer("several different answers" if found else "no answer found")
    return found[0]


def _marked_tokens(text: str, names: KnownNames, labels: bool) -> list[Token]:
    """Return what the ``ANSWER:`` line says, with the following lines that only continue the answer.

    Where its first entry has a remark, entries with remarks go on too.
    """
    found: list[Token] = []
    begun = remarks = False
    for line in text.split("\n"):
        tokens = tokens_of(line, names, True)
        sections = sections_of(tokens) if labels else [("", tokens)]
        prose = any(is_prose(token) for _, section in sections for token in section)
        if begun and prose and not (remarks and _is_entry(tokens)):
            break
        if not begun:
            begun, remarks = any(what != MARK for what, _ in tokens), prose and _is_entry(tokens)
        found += tokens
        found.append(NEWLINE)
    return found


def _without_denials(tokens: list[Token], impossible: bool) -> list[Token]:
    """Return ``tokens`` without the sentences that deny, each behind one of the same line that names any."""
    if not any(what == DENIED or (what == WORD and value in _DENYING) for what, value in tokens):
        return tokens
    kept: list[Token] = []
    begin, named = 0, False
    for place, (what, value) in enumerate(tokens):
        ends = what == MARK and value in ENDS
        if not ends and place + 1 < len(tokens):
            continue
        sentence = tokens[begin : place + 1]
        if not _denies(sentence, impossible):
            kept += sentence
            named = named or any(what in (ATOM, NONE) for what, _ in sentence)
        elif not named:
            raise UnreadableAnswer("the answer is put in the negative")
        if value == "\n":
            named = False
        begin = place + 1
    return kept


def _denies(sentence: list[Token], impossible: bool) -> bool:
    """Return whether a sentence says that what it names is no answer."""
    if any(what == DENIED for what, _ in sentence):
        return True
    atoms = [place for place, token in enumerate(sentence) if token[0] == ATOM]
    if not atoms:
        return False
    if not impossible and _is_avoided(sentence[: atoms[0]]):
        return True
    last = atoms[-1]
    behind = takewhile(lambda token: token[0] == WORD or token == (MARK, ":"), sentence[last + 1 :])
    return is_rejected((value for what, value in behind if what == WORD and value != ASIDE), impossible)


def _is_avoided(before: list[Token]) -> bool:
    """Return whether the words before an action say that it is not to be done: "never do", "avoid"."""
    word = next((value for _, value in reversed(before) if value not in _DOING), "")
    return word in _AVOIDING


def _says_none_too(tokens: list[Token], marked: bool) -> bool:
    """Return whether "none" is said as well as an answer; "none of the others" is not."""
    kinds = [what for what, _ in tokens]
    if NONE not in kinds or ATOM not in kinds:
        return False
    if marked and next(what for what in kinds if what != MARK) == NONE:
        return True
    for place, what in enumerate(kinds):
        if what != NONE:
            continue
        if [each[1] for each in tokens[place + 1 : place + 2]] == ["of"] and kinds[place + 2 :][:1] == [ATOM]:
            return True
        if not place:
            continue
        before, value = tokens[place - 1]
        if before == WORD and value in _CHOOSING:
            return True
        follows = before == ATOM or (before == MARK and value in ENDS) or value == "and"
        behind = tokens[place + 1][1] if place + 1 < len(tokens) else ""
        if marked and follows and behind not in _OTHERS:
            return True
    return False


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
