"""Read answers that consist of facts or actions: one of them, or a list.

Remarks after the entries of a list are ignored, unless they deny the entry. A negated entry is not an answer.
"None" together with an entry is not an answer either. A later sentence of the same line may deny other
entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import takewhile
from typing import Any

from .corrections import refuse_other_entries
from .reply import find_answer
from .row import Atom, AtomSet, Row
from .score import UnreadableAnswer
from .symbols import Symbols
from .tokens import (
    ASIDE,
    ATOM,
    DENIED,
    ENDS,
    MARK,
    MISREAD,
    NEWLINE,
    NONE,
    WORD,
    Token,
    is_passed,
    is_prose,
    misread_beside,
    runs_of,
    says_none,
    tokens_of,
)
from .words import DENIALS, REJECTING, is_rejected, word_set

_REASONS = word_set("because since")
_CHOOSING = word_set("or nor either maybe perhaps else")
_AVOIDING = word_set("never avoid don shouldn mustn")
_DENYING = REJECTING | _AVOIDING
# Words that may stand between "never" and the denied action.
_DOING = word_set("t do use choose take perform execute apply select try pick the action")
_OTHERS = word_set("of else other others more besides further additional")


def atoms_finder(
    read: Callable[[list[Token], bool], Any],
    symbols_of: Callable[[Row], Symbols],
    unlabelled: Callable[[list[Token]], list[Token]] = list,
    given: Iterable[Atom] = (),
) -> Callable[[str, Row], Any]:
    """Return the function that finds an answer of facts or actions in a reply to a row.

    Args:
        read: Parses the tokens of a text. Its second argument is whether the text is marked as the answer.
        symbols_of: Returns the symbols that begin such answers, and the objects.
        unlabelled: Returns the tokens of a line without labels, for example "positive effects:".
        given: Actions of the question, which may be named below the answer.
    """
    return lambda reply, row: find_answer(
        reply, partial(_read_text, read, symbols_of(row), unlabelled, {*given})
    )


def _read_text(
    read: Callable[[list[Token], bool], Any],
    symbols: Symbols,
    unlabelled: Callable[[list[Token]], list[Token]],
    given: set[Atom],
    text: str,
    marked: bool,
) -> Any:
    text = symbols.spelled(text)
    lines = text.split("\n")
    tokens, end = (
        _marked_tokens(lines, symbols, unlabelled) if marked else (tokens_of(text, symbols, False), 1)
    )
    answer = read(tokens, marked)
    atoms = given.union(*answer.values()) if isinstance(answer, dict) else given.union(answer)
    refuse_other_entries(lines[end:], symbols, atoms, lines[end - 1])
    return answer


def read_set(tokens: list[Token], marked: bool) -> AtomSet:
    """Return a list of facts or actions, in any order, as a set; the empty set for "none"."""
    tokens = asserted(tokens, marked)
    return _single(runs_of(tokens), tokens, marked)


def read_one(tokens: list[Token], marked: bool, impossible: bool = False) -> AtomSet:
    """Return one fact or action, as a set; the empty set for "none". Errors: see ``asserted``."""
    tokens = asserted(tokens, marked, impossible)
    return _single([frozenset([atom]) for atom in frozenset().union(*runs_of(tokens))], tokens, marked)


def asserted(tokens: list[Token], marked: bool, impossible: bool = False) -> list[Token]:
    """Return ``tokens`` without remarks and, if ``marked``, without reasons.

    Args:
        tokens: The tokens of a text.
        marked: Whether the text is marked as the answer.
        impossible: Whether the question asks for something impossible, for example an unreachable fact.

    Raises:
        UnreadableAnswer: The answer is denied, or contradicts itself.
    """
    if misread := misread_beside(tokens):
        raise _unreadable(misread)
    tokens = _without_reasons(tokens) if marked else tokens
    tokens = _without_denials(tokens, impossible)
    if _says_none_too(tokens, marked):
        raise UnreadableAnswer("says none and names an answer too")
    return _without_remarks(tokens)


def _unreadable(words: str) -> UnreadableAnswer:
    return UnreadableAnswer(f"{words!r} cannot be read")


def _single(sets: list[AtomSet], tokens: list[Token], marked: bool) -> AtomSet:
    """Return the only answer, or the empty set if the reply says "none"."""
    if not sets and says_none(tokens, marked):
        return frozenset()
    if len(sets) != 1:
        raise UnreadableAnswer("several different answers" if sets else "no answer found")
    return sets[0]


def _marked_tokens(
    lines: list[str], symbols: Symbols, unlabelled: Callable[[list[Token]], list[Token]]
) -> tuple[list[Token], int]:
    """Return the tokens of the ``ANSWER:`` line and of lines that only continue it, and the number of lines.

    If its first entry has a remark, the continuation may have remarks too.
    """
    marked_tokens: list[Token] = []
    begun = remarks = False
    for place, line in enumerate(lines):
        tokens = tokens_of(line, symbols, True)
        prose = any(map(is_prose, unlabelled(tokens)))
        if begun and prose and not (remarks and _is_entry(tokens)):
            first = next((token for token in tokens if not is_passed(token)), NEWLINE)
            if first[0] == MISREAD:
                raise _unreadable(first[1])
            return marked_tokens, place
        if not begun:
            begun, remarks = any(kind != MARK for kind, _ in tokens), prose and _is_entry(tokens)
        marked_tokens += tokens
        marked_tokens.append(NEWLINE)
    return marked_tokens, len(lines)


def _without_denials(tokens: list[Token], impossible: bool) -> list[Token]:
    """Return ``tokens`` without denying sentences.

    Such a sentence must follow an affirming one in its line.
    """
    if not any(kind == DENIED or (kind == WORD and value in _DENYING) for kind, value in tokens):
        return tokens
    affirmed: list[Token] = []
    begin, named = 0, False
    for place, (kind, value) in enumerate(tokens):
        ends = kind == MARK and value in ENDS
        if not ends and place + 1 < len(tokens):
            continue
        sentence = tokens[begin : place + 1]
        if not _denies(sentence, impossible):
            affirmed += sentence
            named = named or any(kind in (ATOM, NONE) for kind, _ in sentence)
        elif not named:
            raise UnreadableAnswer("the answer is put in the negative")
        if value == "\n":
            named = False
        begin = place + 1
    return affirmed


def _denies(sentence: list[Token], impossible: bool) -> bool:
    """Return whether a sentence says that its entry is not an answer."""
    if any(kind == DENIED for kind, _ in sentence):
        return True
    atoms = [place for place, token in enumerate(sentence) if token[0] == ATOM]
    if not atoms:
        return False
    if not impossible and _is_avoided(sentence[: atoms[0]]):
        return True
    last = atoms[-1]
    following = takewhile(lambda token: token[0] == WORD or token == (MARK, ":"), sentence[last + 1 :])
    return is_rejected((value for kind, value in following if kind == WORD and value != ASIDE), impossible)


def _is_avoided(before: list[Token]) -> bool:
    """Return whether the words before an action reject it: "never do", "avoid"."""
    word = next((value for _, value in reversed(before) if value not in _DOING), "")
    return word in _AVOIDING


def _says_none_too(tokens: list[Token], marked: bool) -> bool:
    """Return whether the text says "none" in addition to an answer; "none of the others" is allowed."""
    kinds = [kind for kind, _ in tokens]
    if NONE not in kinds or ATOM not in kinds:
        return False
    if marked and next(kind for kind in kinds if kind != MARK) == NONE:
        return True
    for place, kind in enumerate(kinds):
        if kind != NONE:
            continue
        if [token[1] for token in tokens[place + 1 : place + 2]] == ["of"] and kinds[place + 2 :][:1] == [
            ATOM
        ]:
            return True
        if not place:
            continue
        before, value = tokens[place - 1]
        if before == WORD and value in _CHOOSING:
            return True
        follows = before == ATOM or (before == MARK and value in ENDS) or value == "and"
        following = tokens[place + 1][1] if place + 1 < len(tokens) else ""
        if marked and follows and following not in _OTHERS:
            return True
    return False


def _is_entry(line: list[Token]) -> bool:
    """Return whether a line of tokens is one atom, optionally with a remark that does not deny it."""
    atoms = [index for index, (kind, _) in enumerate(line) if kind in (ATOM, DENIED)]
    if len(atoms) != 1 or line[atoms[0]][0] == DENIED or any(map(is_prose, line[: atoms[0]])):
        return False
    return not any(kind == WORD and value in DENIALS for kind, value in line)


def _without_remarks(tokens: list[Token]) -> list[Token]:
    """Return ``tokens`` without remarks after the entries of a list with one entry per line."""
    lines = _lines_of(tokens)
    entries = [line for line in lines if any(kind in (ATOM, DENIED) for kind, _ in line)]
    if len(entries) < 2 or not all(map(_is_entry, entries)):
        return tokens
    reduced = [
        [token for token in line if not is_prose(token)] if _is_entry(line) else line for line in lines
    ]
    return [token for line in reduced for token in line]


def _lines_of(tokens: list[Token]) -> list[list[Token]]:
    lines: list[list[Token]] = [[]]
    for token in tokens:
        lines[-1].append(token)
        if token == NEWLINE:
            lines.append([])
    return lines


def _without_reasons(tokens: list[Token]) -> list[Token]:
    """Return ``tokens`` without the reason in each line: the words from "because", after an entry."""
    reduced: list[Token] = []
    named = reason = False
    for kind, value in tokens:
        if value == "\n":
            named = reason = False
        reason = reason or (named and kind == WORD and value in _REASONS)
        named = named or kind in (ATOM, DENIED, NONE)
        if not reason:
            reduced.append((kind, value))
    return reduced
