"""Whether text below an answer changes it: "no, wait: (x)", "(x) instead", "don't forget (x)".

An entry below an answer of facts or actions changes it, unless it belongs to the answer or to a statement. A
line that begins with a word such as "wait" changes an answer of any kind if another answer follows the word.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet
from itertools import groupby, pairwise
from typing import Any

from .plans.entries import EntryReader, mentioned_in
from .plans.lines import is_name_alone, is_statement, is_word, words_within
from .plans.wordings import Token, tokens_of
from .row import Atom
from .score import UnreadableAnswer
from .symbols import Symbols
from .words import CORRECTING, CORRECTION, DENIALS, FILLERS, HEDGED_BY, HEDGES, word_set

_HEDGING = HEDGES | HEDGED_BY  # "it could be (x)" is no statement
_CHANGING = CORRECTING | HEDGES
_EXCLUDING = DENIALS - word_set("no but")
_LONGEST = 40  # tokens of a line
_FIRST = 3  # words of a line that may correct the answer
_QUOTED = 80  # characters


def refuse_other_answer(
    text: str, answer: Any, read: Callable[[str], Any], words: Callable[[], Collection[str]] = tuple
) -> None:
    """Raise UnreadableAnswer if ``read`` finds another answer behind the last correction in a text.

    An answer with an action of the name "wait" has no correction, nor has a question with such a word among
    the ``words`` of its options.
    """
    *_, correction = (None, *CORRECTION.finditer(text))
    names = {atom[0] for atom in answer} if isinstance(answer, frozenset | list) else set[str]()
    if correction is None or correction[1] in names or correction[1] in words():
        return
    try:
        other = read(text[correction.end() :])
    except UnreadableAnswer:
        return
    if other != answer:
        raise UnreadableAnswer("the answer is corrected")


def refuse_other_entries(
    lines: Iterable[str], symbols: Symbols, atoms: AbstractSet[Atom], above: str = ""
) -> None:
    """Raise UnreadableAnswer if a line beside or below the entries ``atoms`` changes them.

    The lines are in lower case, with names as the PDDL spells them. ``above`` is the line before them.
    """
    for before, line in pairwise((above, *lines)):
        word = line.strip()
        is_other = word not in FILLERS and word not in symbols.types and is_name_alone((word,))
        if (is_other and mentioned_in(before, symbols)[0]) or _changes(line, symbols, atoms):
            raise UnreadableAnswer(f"{word[:_QUOTED]!r} changes the answer")


def _changes(line: str, symbols: Symbols, atoms: AbstractSet[Atom]) -> bool:
    """Return whether a line corrects an answer, or names an entry that it lacks outside of statements."""
    tokens, names = tokens_of(line)[:_LONGEST], symbols.objects
    others = [token for token in tokens if token not in atoms]
    if not any(isinstance(token, tuple) or token in names or token in _CHANGING for token in others):
        return False
    tokens = [part for token in tokens for part in _parts(token, symbols)]
    plain = [token for token in tokens if isinstance(token, str) and token not in symbols.types]
    words = [word for word in plain if word.isalpha() and word not in names and word not in FILLERS]
    is_hedge = _HEDGING.issuperset(words) and not HEDGES.isdisjoint(words)
    corrects = is_hedge or not CORRECTING.isdisjoint(words[:_FIRST])
    # Of a label ("also needed: (x)"), the first word says whether it is a statement.
    is_stated = is_statement(words[: 1 if plain[-1:] == [":"] else None]) or not _EXCLUDING.isdisjoint(words)
    if is_stated and not corrects:
        return False
    entries, prose = EntryReader(tokens, symbols, False, False).mentioned()
    affirmed = [entry.atom for entry in entries if entry.positive]
    # A name without arguments and parentheses may be another word.
    named = {atom for atom in affirmed if symbols.is_bare_form(atom) or (len(atom) == 1 and atom in tokens)}
    made_up = [token for token in prose if symbols.is_made_up(token)]
    if not corrects:
        return bool(named - atoms) or any(map(symbols.is_bare_form, made_up))
    parts = [list(map(str, part)) for is_part, part in groupby(prose, is_word) if is_part]
    bare = any(symbols.is_bare_form(part[n:]) for part in parts for n in range(len(part)))
    return bare or bool(made_up) or (bool(named) and named != atoms)


def _parts(token: Token, symbols: Symbols) -> Iterable[Token]:
    """Return a token, or the words of an aside in parentheses."""
    if not isinstance(token, tuple) or symbols.is_made_up(token):
        return [token]
    is_symbol = token[:1] and (token[0] in symbols.types or token[0] in symbols.strangers)
    return [token] if is_symbol else words_within(token)
