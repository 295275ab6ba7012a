"""The tokens of a text: facts and actions, denied ones, "none", words, and relevant punctuation.

Text in parentheses is a fact or action if it has the form of one, also with made-up names; other text in
parentheses is an aside. Without parentheses, it must begin with a name of the row's domain, followed by as
many objects of the row's problem as it has arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from .row import Atom, AtomSet
from .symbols import Symbols
from .words import DENIALS, FILLERS, NEGATORS, word_set

# Kind and value of a token: an atom, or text.
Token: TypeAlias = tuple[str, Any]
ATOM, DENIED, NONE, WORD, MARK = "atom", "denied", "none", "word", "mark"
MISREAD = "misread"  # precedes words that have the form of an entry, and are none: "fly x y"
NEWLINE: Token = (MARK, "\n")
ASIDE = "()"  # replaces text in parentheses that is not an answer

ENDS = frozenset(".;!\n")  # marks that end a sentence
_TOKEN = re.compile(r"([a-z][\w-]*)?\(([^()]*)\)|(\w[\w-]*)([ ]?,)?|([:=\[\]{}\n∅;]|[.!](?=\s|$))")


_NONE_WORDS = word_set("none nil null")
# Statements at the end of a sentence that there is no answer: "no such action exists".
_NOTHING = re.compile(
    r"(^[ ]*|[.!:\n][ ]*|answer is )(?:(?:there (?:is|are) )?no (?:such )?"
    r"(?:actions?|facts?|propositions?|landmarks?|atoms?)(?: exists?)?|nothing|n/a)(?=[ ]*(?:[.!\n(]|$))"
)
_FILLERS = word_set(
    "and then also as well plus step action fact proposition next afterwards lastly finally followed by"
)
_BETWEEN = _FILLERS | FILLERS | {ASIDE}  # words between the entries of a list in prose
# Words that may surround "none" in its sentence.
_POLITE = word_set(
    "the final correct answer is are would be so thus therefore hence my reply response result output"
    " solution conclusion in i we think believe conclude that there set list empty a an actions facts ()"
)
_REASONS = word_set("because since as")


def tokens_of(text: str, symbols: Symbols, marked: bool) -> list[Token]:
    """Return the tokens of ``text``; facts and actions without parentheses are assembled by arity."""
    raw: list[Token] = []
    commas: set[int] = set()  # places of words before a comma
    text = _NOTHING.sub(r"\1none", text) if "no" in text or "n/a" in text else text
    for match in _TOKEN.finditer(text):
        before, inside, word, comma, mark = match.groups()
        if inside is not None:
            _add_group(raw, before, tuple(inside.replace(",", " ").split()), symbols, marked)
        else:
            if comma:
                commas.add(len(raw))
            raw.append((WORD, word) if word else (MARK, mark))
    return _assembled(raw, commas, symbols, marked)


def is_prose(token: Token) -> bool:
    """Return whether the token is a word that does not belong to a list of answers."""
    kind, value = token
    return kind == WORD and value not in _FILLERS and not value.isdigit()


def ordered_runs(tokens: Iterable[Token]) -> list[tuple[Atom, ...]]:
    """Return the runs of consecutive facts or actions, with no prose between them."""
    runs: list[list[Atom]] = [[]]
    for token in tokens:
        if token[0] in (ATOM, DENIED):
            runs[-1].append(token[1])
        elif runs[-1] and is_prose(token):
            runs.append([])
    return [tuple(run) for run in runs if run]


def runs_of(tokens: Iterable[Token]) -> list[AtomSet]:
    """Return the distinct sets of consecutive facts or actions."""
    return list(dict.fromkeys(map(frozenset, ordered_runs(tokens))))


def says_none(tokens: list[Token], marked: bool) -> bool:
    """Return whether the reply says "none".

    After ``ANSWER:`` the word is enough. Otherwise it must be in the first or last sentence, alone apart from
    a reason after it, or after "the answer is".
    """
    if marked:
        return any(kind == NONE for kind, _ in tokens)
    sentences: list[list[Token]] = [[]]
    for token in tokens:
        if (token[0] == MARK and token[1] in ENDS) or (token[0] == WORD and token[1] in _REASONS):
            sentences.append([])
        else:
            sentences[-1].append(token)
    nonempty = [sentence for sentence in sentences if sentence]
    return any(map(_is_none, (*nonempty[:1], *nonempty[-1:])))


def _is_none(sentence: list[Token]) -> bool:
    """Return whether a sentence says "none" and nothing else, or ends in "the answer is none"."""
    words = [value for kind, value in sentence if kind == WORD]
    if all(kind != NONE for kind, _ in sentence):
        return False
    if _POLITE.issuperset(words):
        return True
    content = [value for kind, value in sentence if kind in (WORD, NONE)]
    return content[-3:] == ["answer", "is", ""] and DENIALS.isdisjoint(words)


def _add_group(raw: list[Token], head: str | None, group: Atom, symbols: Symbols, marked: bool) -> None:
    """Add the content of parentheses: ``(name x y)``, ``name(x, y)``, nothing, or an aside.

    ``head`` is the word directly before the parentheses.
    """
    if head is not None:
        raw.append((WORD, head))
    before = raw[-1][1] if raw and raw[-1][0] == WORD else ""
    marked = marked or next((kind for kind, _ in reversed(raw) if kind != MARK), "") == ATOM
    call = (head, *group) if head is not None else ()
    if call and (not group or group[0] not in symbols.types) and symbols.accept(call, marked):
        raw[-1] = (ATOM, call)
    elif group and symbols.accept(group, marked) and not (head and symbols.has_arity_of((head, *group))):
        raw.append((ATOM, group))
    elif before and before != ASIDE and symbols.accept((before, *group), marked):
        raw[-1] = (ATOM, (before, *group))
    elif not group or (len(group) == 1 and group[0] in _NONE_WORDS):
        raw.append((NONE, ""))
    elif not group[0].isdigit():
        raw.append((WORD, ASIDE))


def _assembled(raw: list[Token], commas: set[int], symbols: Symbols, marked: bool) -> list[Token]:
    """Return ``raw`` with assembled atoms without parentheses, empty lists and negations."""
    tokens_read: list[Token] = []
    index = 0
    while index < len(raw):
        kind, value = raw[index]
        width = 1
        before = tokens_read[-1] if tokens_read else NEWLINE
        words = _misread_at(raw, index, before, commas, symbols) if kind == WORD else ""
        is_entry = marked and value in symbols.types and symbols.objects.keys() >= {*words.split()[1:]}
        if words and not is_entry:
            tokens_read.append((MISREAD, words))
        if kind == WORD and value in symbols.types:
            width = _add_bare(tokens_read, raw, index, commas, symbols, marked)
        elif (kind == WORD and value in _NONE_WORDS) or value == "∅":
            tokens_read.append((NONE, ""))
        elif kind == MARK and raw[index + 1 : index + 2] == [(MARK, {"[": "]", "{": "}"}.get(value))]:
            tokens_read.append((NONE, ""))
            width = 2
        else:
            tokens_read.append((DENIED if kind == ATOM and _denied(tokens_read) else kind, value))
        index += width
    return tokens_read


def _misread_at(raw: list[Token], index: int, before: Token, commas: set[int], symbols: Symbols) -> str:
    """Return the words at a place that have the form of an entry, and are none; or no words.

    ``before`` is the token read before them. A mark, another entry or a word such as "and" surrounds them.
    """
    words: list[str] = []
    head = raw[index][1]
    is_of_list = before == (MARK, "[")  # ["fly", "x", "y"]
    if not (_is_between(before) or index - 1 in commas) or before[1] in NEGATORS:
        return ""
    end = index
    while end < len(raw) and not _is_between(raw[end]) and (not words or raw[end][1] not in symbols.types):
        words.append(raw[end][1])
        end += 1
        if end - 1 in commas and not is_of_list:
            break
    after = raw[end] if end < len(raw) else NEWLINE
    if after == (MARK, ":") or not (_is_between(after) or end - 1 in commas or after[1] in symbols.types):
        return ""
    arity = len(symbols.types.get(head, ()))
    is_known = head in symbols.types and len(words) == arity + 1
    is_misnamed = is_known and not (arity and symbols.objects.keys() >= {*words[1:]})
    are_names = all(word in symbols.objects or symbols.is_like_an_object(word) for word in words[1:])
    is_made_up = are_names and not is_known and symbols.is_bare_form(words)
    return " ".join(words) if is_misnamed or is_made_up else ""


def _is_between(token: Token) -> bool:
    """Return whether a token separates entries: a mark, another entry, or a word such as "and"."""
    return token[0] != WORD or token[1] in _BETWEEN or token[1].isdigit()


def misread_beside(tokens: list[Token]) -> str:
    """Return the first words beside an entry that have the form of one, and are none; or no words."""
    kept = [token for token in tokens if not is_passed(token)]
    for place, (kind, words) in enumerate(kept):
        if kind == MISREAD:
            before = kept[place - 1] if place else NEWLINE
            content = sum(not is_passed((WORD, word)) for word in words.split())
            following = kept[place + 1 + content] if place + 1 + content < len(kept) else NEWLINE
            is_partly_read = kept[place + 1 : place + 2] and kept[place + 1][0] in (ATOM, DENIED)
            if is_partly_read or before[0] in (ATOM, DENIED) or following[0] in (ATOM, DENIED, MISREAD):
                return str(words)
    return ""


def is_passed(token: Token) -> bool:
    """Return whether a token may stand between entries: a mark, a number, or a word such as "and"."""
    return token[0] == MARK or (token[0] == WORD and _is_between(token))


def _add_bare(
    tokens_read: list[Token], raw: list[Token], index: int, commas: set[int], symbols: Symbols, marked: bool
) -> int:
    """Add the atom without parentheses at ``raw[index]``, or the word; return its number of tokens.

    If the answer is ``marked``, an atom with too many arguments counts as a (wrong) answer.
    """
    head = raw[index][1]
    arity = len(symbols.types[head])
    following = raw[index + 1 : index + 1 + arity]
    arguments = tuple(value for kind, value in following if kind == WORD and value in symbols.objects)
    listed = arity > 0 and index in commas  # "on, b1, b2"
    end = index + 1 + arity
    while end < len(raw) and raw[end][0] == WORD and raw[end][1] in symbols.objects:
        if end - 1 in commas and not listed:
            break
        arguments, end = (*arguments, raw[end][1]), end + 1
    is_atom = len(arguments) == arity and (arity or "-" in head or "_" in head)
    if is_atom or (marked and len(arguments) >= arity):
        tokens_read.append((DENIED if _denied(tokens_read) else ATOM, (head, *arguments)))
        return 1 + len(arguments)
    tokens_read.append((WORD, head))
    return 1


def _denied(tokens_read: list[Token]) -> bool:
    return bool(tokens_read) and tokens_read[-1][0] == WORD and tokens_read[-1][1] in NEGATORS
