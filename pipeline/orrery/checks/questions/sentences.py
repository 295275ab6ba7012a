"""Sentences of contexts, read back to literals: clauses in a row, perhaps for every name of a list.

Knows nothing of how a sentence was put together: each wording of a predicate is made a pattern, and a
sentence is whatever these patterns, the joints and the quantifiers explain, from its first letter to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

from orrery.language.choices import held_out
from orrery.language.read_back import PLACEHOLDERS, clause_pattern
from orrery.language.words import NEGATION, Words
from orrery.model import EQUAL, Atom, Domain, Literal, TypedName

ARGUMENT = r"\??[\w-]+"  # an object or a variable
COMPARED = re.compile(rf"({ARGUMENT}) and ({ARGUMENT}) are (equal|different)")
QUANTIFIED = re.compile(r"for every (\?[^:]*): ", re.IGNORECASE)
AMONG = re.compile(rf"({ARGUMENT}) among (.*)")
WORD = re.compile(r"[^\s.,;:]+")
JOINT = re.compile(r", | and |; ")
READERS_KEPT = 32

Bindings: TypeAlias = list[dict[str, str]]
PatternsByWord: TypeAlias = "dict[str, list[ClausePattern]]"


class Phrase(NamedTuple):
    """The atom that words name, where they end, and whether they are held out."""

    atom: Atom
    end: int
    held_out: bool


class Clause(NamedTuple):
    """The literal that words state, where they end, and whether they are held out."""

    literal: Literal
    end: int
    held_out: bool


class Stated(NamedTuple):
    """The literals that words state, where they end, and whether some of them are held out."""

    literals: list[Literal]
    end: int
    held_out: bool


@dataclass(frozen=True, eq=False)
class ClausePattern:
    """One wording of a predicate or action; the groups ``a<i>`` are its arguments.

    ``first`` is the word in small letters that it begins with; empty where that holds an argument.
    ``held_out`` says whether the wording is.
    """

    name: str
    arity: int
    written: str
    first: str
    held_out: bool = False

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern, compiled at first use."""
        return re.compile(self.written)

    def read(self, text: str, at: int) -> tuple[Atom, int] | None:
        """Return the atom that ``text`` names at ``at``, with the end of its words, or None."""
        if (match := self.regex.match(text, at)) is None:
            return None
        return (self.name, *(match[f"a{i}"].lower() for i in range(self.arity))), match.end()


def patterns(words: Words, kind: str, name: str, parameters: Sequence[TypedName]) -> Iterator[ClausePattern]:
    """Yield a pattern for each wording of a symbol; ``kind`` is "fact" or "action"."""
    seen, count = set(), words.variants(kind, name)
    for variant in range(count):
        for family in PLACEHOLDERS:
            holders = [family.format(i) for i in range(len(parameters))]
            clause = words.say(kind, name, *holders, variant=variant).rstrip(" .")
            if (regex := clause_pattern(clause, holders, ARGUMENT)) not in seen:
                seen.add(regex)
                first = WORD.match(clause)
                varies = first is None or any(holder in first[0] for holder in holders)
                word = "" if varies or first is None else first[0].lower()
                apart = variant >= count - held_out(count)
                yield ClausePattern(name, len(parameters), regex + r"(?![\w-])", word, apart)


@lru_cache(maxsize=READERS_KEPT)
def sentence_reader(words: Words, domain: Domain) -> SentenceReader:
    """Return the reader of a domain, one for all who ask: its patterns are costly."""
    return SentenceReader(words, domain)


class SentenceReader:
    """Reads the sentences of contexts of one domain."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare to read sentences in ``words``; patterns are made at first use."""
        self.words, self.domain = words, domain

    @cached_property
    def facts(self) -> PatternsByWord:
        """A pattern for each wording of each predicate."""
        symbols = self.domain.predicates
        return _by_word(p for s in symbols for p in patterns(self.words, "fact", s.name, s.parameters))

    @cached_property
    def actions(self) -> PatternsByWord:
        """A pattern for each wording of each action."""
        symbols = self.domain.actions
        return _by_word(p for s in symbols for p in patterns(self.words, "action", s.name, s.parameters))

    def sentence(self, text: str, at: int) -> Stated | None:
        """Return what the sentence at ``at`` states and where it ends, or None where it cannot be read."""
        bindings: Bindings = [{}]
        if match := QUANTIFIED.match(text, at):
            bindings, at = _bindings(match[1]), match.end()
        if (found := self.clauses(text, at)) is None or not bindings:
            return None
        stated, at, apart = found
        if not text.startswith(".", at):
            return None
        return Stated([_bound(literal, names) for names in bindings for literal in stated], at + 1, apart)

    def clauses(self, text: str, at: int) -> Stated | None:
        """Return the literals of the list of clauses at ``at``, and its end; None where there is none."""
        found: list[Clause] = []
        while (read := self.clause(text, at)) is not None:
            found.append(read)
            if (joint := JOINT.match(text, read.end)) is None:
                break
            at = joint.end()
        if not found:
            return None
        return Stated([each.literal for each in found], found[-1].end, any(each.held_out for each in found))

    def clause(self, text: str, at: int) -> Clause | None:
        """Return the literal that a clause at ``at`` states, of several readings the longest, and its end.

        None where there is no reading, or two of equal length that differ.
        """
        if match := COMPARED.match(text, at):
            return Clause(Literal((EQUAL, match[1], match[2]), match[3] == "equal"), match.end(), False)
        positive = text[at : at + len(NEGATION)].lower() != NEGATION
        at += 0 if positive else len(NEGATION)
        found = _longest(self.facts, text, at)
        return Clause(Literal(found.atom, positive), found.end, found.held_out) if found else None

    def phrase(self, text: str, at: int) -> Phrase | None:
        """Return the action that ``text`` names at ``at``, of several readings the longest, and its end."""
        return _longest(self.actions, text, at)


def _by_word(found: Iterable[ClausePattern]) -> PatternsByWord:
    """Return patterns by the word that they begin with; those that may begin with any stand under ""."""
    by_word: PatternsByWord = {}
    for pattern in found:
        by_word.setdefault(pattern.first, []).append(pattern)
    return by_word


def _longest(among: PatternsByWord, text: str, at: int) -> Phrase | None:
    """Return the longest reading of ``text`` at ``at``; None where there is none, or two that differ.

    It is held out if all wordings that give it are.
    """
    word = WORD.match(text, at)
    candidates = [*among.get("", ()), *(among.get(word[0].lower(), ()) if word else ())]
    read = [(each, pattern.held_out) for pattern in candidates if (each := pattern.read(text, at))]
    end = max((end for (_, end), _ in read), default=at)
    longest = [(atom, apart) for (atom, its), apart in read if its == end]
    if len({atom for atom, _ in longest}) != 1:
        return None
    return Phrase(longest[0][0], end, all(apart for _, apart in longest))


def _bindings(text: str) -> Bindings:
    """Return the names for the variables of "?x among a and b and every ?y among c, d and e".

    There are none where the text cannot be read.
    """
    lists: list[list[tuple[str, str]]] = []
    for part in text.split(" and every "):
        if (match := AMONG.fullmatch(part)) is None:
            return []
        lists.append([(match[1], name) for name in names_of(match[2])])
    return [dict(chosen) for chosen in product(*lists)]


def names_of(text: str) -> list[str]:
    """Return the elements of a list such as "a, b and c"."""
    *first, last = text.split(", ")
    return [*first, *last.split(" and ")]


def _bound(literal: Literal, names: dict[str, str]) -> Literal:
    return Literal(tuple(names.get(each, each) for each in literal.atom), literal.positive)
