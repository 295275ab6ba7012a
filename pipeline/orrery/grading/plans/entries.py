"""Read the entry at a place in a line of a reply: a step of a plan, or a literal.

An entry is PDDL, ``name(a, b)``, a bare ``name a b``, or words. In a marked answer or a list, it may have
made-up names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..row import Atom
from ..symbols import Symbols
from ..words import FILLERS, HEDGED_BY, HEDGES, word_set
from .wordings import Token, read_words, tokens_of

OPENING, CLOSING, SEPARATING = frozenset("[{(<"), frozenset(")]}>"), frozenset(",;.&|/>-=+\u2192\u21d2\u2193")
_APART = SEPARATING | OPENING | CLOSING
JOINING = word_set("and then & followed by next")
_NOT_THE_CASE = [["it", "is", "not", "the", "case", "that"], ["it", "is", "false", "that"]]
_VERBS = word_set("is are was were has have do does did can could will")
_LONGEST = 40  # maximum number of tokens of a clause
_NAME = re.compile(r"[a-z][\w-]*|\d[\w-]*")


class ReplyEntry(NamedTuple):
    """A step or a literal.

    ``positive`` is false if it is negated; ``verb`` is true if its verb is negated.
    """

    atom: Atom
    positive: bool = True
    verb: bool = False


def mentioned_in(text: str, symbols: Symbols) -> tuple[list[ReplyEntry], list[Token]]:
    """Return all entries of a text in lower case, and the tokens around them."""
    tokens = tokens_of(symbols.spelled(text))
    return EntryReader(tokens, symbols, False, False).mentioned()


class EntryReader:
    """Reader of the entries in the tokens of one line."""

    def __init__(self, tokens: Sequence[Token], symbols: Symbols, strict: bool, listed: bool) -> None:
        """Store the tokens; ``strict`` and ``listed`` are about their line, in an answer or a list."""
        self._tokens, self._symbols = tokens, symbols
        self._strict, self._listed = strict, listed

    def _token(self, at: int) -> Token:
        return self._tokens[at] if at < len(self._tokens) else ""

    def _passed(self, at: int, marks: frozenset[str]) -> int:
        while at < len(self._tokens) and self._tokens[at] in marks:
            at += 1
        return at

    def _opening(self, at: int) -> int:
        """Return the place of the next entry, after brackets and the "and" of a conjunction."""
        while at < len(self._tokens) and (
            self._tokens[at] in OPENING or (self._tokens[at] == "and" and self._token(at - 1) in OPENING)
        ):
            if self._tokens[at] == "(" and self._token(at + 1) == "not":
                return at
            at += 1
        return at

    def _entry(self, at: int) -> tuple[ReplyEntry, int] | None:
        """Return the entry at a place and the place after it. Words such as "then I" are skipped."""
        for start in range(at, min(at + 8, len(self._tokens))):
            read_entry = self._read_at(start)
            if read_entry is not None:
                return read_entry
            if self._tokens[start] not in FILLERS and self._tokens[start] not in ("the", ","):
                return None
        return None

    def _read_at(self, at: int) -> tuple[ReplyEntry, int] | None:
        token = self._tokens[at]
        if isinstance(token, tuple):
            positive = not self._symbols.negatable or token[:1] != ("not",)
            atom = self._group(at, token if positive else token[1:])
            return (ReplyEntry(atom, positive), at + 1) if atom else None
        if not token[0].isalnum() and token not in ("(", ","):  # no entry begins with another mark
            return None
        read_entry = self._longest(at)
        if read_entry is None and self._symbols.negatable:
            read_entry = self._negated(at)
        if read_entry is not None:
            return read_entry
        return self._misnamed(at) if self._listed or self._strict else None

    def _longest(self, at: int) -> tuple[ReplyEntry, int] | None:
        """Return the entry at a place: ``name a b`` or words, whichever is longer."""
        bare, worded = self._bare(at), self._read_worded(at, False)
        return max((entry for entry in (bare, worded) if entry), key=lambda entry: entry[1], default=None)

    def _bare(self, at: int) -> tuple[ReplyEntry, int] | None:
        """Return the entry ``name a b`` at a place; ``name a, b`` and ``name (a, b)`` are valid too."""
        token = self._tokens[at]
        if token not in self._symbols.types:
            return None
        width = len(self._symbols.types[str(token)])
        objects = self._symbols.objects
        group = self._token(at + 1)
        if isinstance(group, tuple):
            if len(group) != width or not all(argument in objects for argument in group):
                return None
            return ReplyEntry((str(token), *group)), at + 2
        end = at + 1
        arguments: list[Token] = []
        while len(arguments) < width and self._token(end) in objects:
            arguments.append(self._token(end))
            end += 2 if len(arguments) < width and self._token(end + 1) == "," else 1
        if len(arguments) < width:
            return None
        following = self._token(end)
        if not width and isinstance(following, str) and following[:1].isalnum() and following not in JOINING:
            return None
        return ReplyEntry((str(token), *map(str, arguments))), end

    def _group(self, at: int, group: tuple[str, ...]) -> Atom:
        """Return the entry in parentheses at a place, possibly with made-up names; empty if there is none."""
        symbols = self._symbols
        if not group or (
            group[0] not in symbols.types and group[0] in symbols.strangers and not self._strict
        ):
            return ()
        if group[0] in symbols.types or (symbols.is_about_objects(group) and symbols.is_well_formed(group)):
            return group
        if len(group) == 1 and not at and self._strict and not group[0].isdigit():
            return group  # alone in a line of a marked answer
        return group if self._is_listed(at) and symbols.is_well_formed(group) else ()

    def _is_listed(self, at: int) -> bool:
        """Return whether a mark or another entry precedes a place, apart from words such as "and then"."""
        while at and (self._tokens[at - 1] in JOINING or self._tokens[at - 1] in FILLERS):
            at -= 1
        before = self._token(at - 1) if at else ":"
        is_set_apart = isinstance(before, tuple) or before == ":" or before in _APART
        return is_set_apart or (before == "not" and self._symbols.negatable) or self._follows_hedge(at)

    def _follows_hedge(self, at: int) -> bool:
        """Return whether only words such as "that" stand between "maybe" and a place."""
        before = self._tokens[max(at - 8, 0) : at][::-1]
        word = next((word for word in before if word not in FILLERS and word not in HEDGED_BY), "")
        return word in HEDGES

    def _is_known(self, token: Token) -> bool:
        return isinstance(token, tuple) and token[:1] != () and token[0] in self._symbols.types

    def _read_worded(self, at: int, unknown: bool) -> tuple[ReplyEntry, int] | None:
        symbols = self._symbols
        worded = read_words(symbols.wordings.tree, self._tokens, at, symbols.problem, symbols.types, unknown)
        return (ReplyEntry(worded[0]), worded[1]) if worded else None

    def _misnamed(self, at: int) -> tuple[ReplyEntry, int] | None:
        """Return an entry with a name that is not an object, or with a wrong number of arguments."""
        token = self._tokens[at]
        end = at + 1
        while isinstance(self._token(end), str) and _NAME.fullmatch(str(self._token(end))):
            end += 1
        if self._token(end) == ":":  # a heading
            return None
        arguments = tuple(map(str, self._tokens[at + 1 : end]))
        if token in self._symbols.types and (arguments or self._strict) and self._are_names(arguments):
            return ReplyEntry((str(token), *arguments)), end
        worded = self._read_worded(at, True)
        return worded if worded and (self._strict or self._are_names(worded[0].atom[1:])) else None

    def _are_names(self, words: Atom) -> bool:
        return all(word in self._symbols.objects or _like_a_name(word) for word in words)

    def _negated(self, at: int) -> tuple[ReplyEntry, int] | None:
        """Return the negated literal at a place: "not", "it is not the case that", "is not"."""
        token = self._tokens[at]
        if token == "(" and self._token(at + 1) == "not":
            return self._denied(at + 2, CLOSING)
        if token == "not":
            return self._denied(self._passed(at + 1, OPENING))
        for opening in _NOT_THE_CASE:
            if self._tokens[at : at + len(opening)] == opening:
                return self._denied(at + len(opening))
        return self._denied_within(at)

    def _denied(self, at: int, marks: frozenset[str] = frozenset()) -> tuple[ReplyEntry, int] | None:
        """Return the entry at a place as a negated one, and the place after it and ``marks``."""
        read_entry = self._plainly(at)
        return read_entry and (ReplyEntry(read_entry[0].atom, False), self._passed(read_entry[1], marks))

    def _negates(self, at: int) -> bool:
        """Return whether a literal negated by "not" begins at a place."""
        return self._symbols.negatable and self._token(at) == "not" and self._negated(at) is not None

    def _plainly(self, at: int) -> tuple[ReplyEntry, int] | None:
        """Return the entry at a place, if it is not negated."""
        if at >= len(self._tokens):
            return None
        token = self._tokens[at]
        if isinstance(token, tuple):
            atom = self._group(at, token)
            return (ReplyEntry(atom), at + 1) if atom else None
        return self._longest(at)

    def _denied_within(self, at: int) -> tuple[ReplyEntry, int] | None:
        """Return the literal of a clause with a negated verb: "block b is not clear"."""
        tokens = list(self._tokens[at : at + _LONGEST])
        for place in range(1, len(tokens) - 1):
            if tokens[place + 1] == "not" and tokens[place] in _VERBS:
                del tokens[place + 1]
                symbols = self._symbols
                worded = read_words(symbols.wordings.tree, tokens, 0, symbols.problem, symbols.types, False)
                if worded and worded[1] > place:
                    return ReplyEntry(worded[0], False, True), at + worded[1] + 1
                return None
        return None

    def mentioned(self) -> tuple[list[ReplyEntry], list[Token]]:
        """Return all entries of the line, and the tokens around them."""
        entries: list[ReplyEntry] = []
        prose: list[Token] = []
        at = 0
        while at < len(self._tokens):
            read_entry = self._read_at(at)
            if read_entry is None:
                prose.append(self._tokens[at])
                at += 1
            else:
                entries.append(read_entry[0])
                at = read_entry[1]
        return entries, prose


def _like_a_name(word: str) -> bool:
    """Return whether a word looks like an object name: a single letter, or with a digit or hyphen."""
    return len(word) == 1 or any(sign in word for sign in "0123456789_-")
