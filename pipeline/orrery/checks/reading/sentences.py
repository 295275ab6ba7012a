"""Formal sentences: lists of clauses of one fact each, perhaps for every name of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import NamedTuple

from orrery.checks.reading.cursor import SHOWN
from orrery.checks.reading.wording_tree import WordingTree, tree_of
from orrery.language.words import NEGATION, Words
from orrery.model import EQUAL, Domain, Literal, OrreryError
from orrery.pddl.write import write_literal

ARGUMENT = r"\??[\w-]+"  # an object or a variable
COMPARED = re.compile(rf"({ARGUMENT}) and ({ARGUMENT}) are (equal|different)")
QUANTIFIED = re.compile(r"for every (\?[^:]*): ", re.IGNORECASE)
AMONG = re.compile(rf"({ARGUMENT}) among (.*)")
JOINT = re.compile(r", | and |; ")
STOP = re.compile(r"\.(?=\s|$)")
POINT = "\n- "  # before each item of a list
READERS_KEPT = 32


class ReadClauses(NamedTuple):
    """The literals of a text, where it ends, and whether some of the wording is held out."""

    literals: list[Literal]
    end: int
    held_out: bool


@lru_cache(maxsize=READERS_KEPT)
def sentence_reader(words: Words, domain: Domain) -> SentenceReader:
    """Return the reader of a domain; all callers share it because its trees are costly to build."""
    return SentenceReader(words, domain)


@dataclass(frozen=True, eq=False)
class SentenceReader:
    """Reads sentences that state facts of one domain; its trees of wordings are built at first use."""

    words: Words
    domain: Domain

    @cached_property
    def facts(self) -> WordingTree:
        """The wordings of the predicates."""
        return tree_of(self.words, "fact", [(p.name, p.arity) for p in self.domain.predicates])

    @cached_property
    def actions(self) -> WordingTree:
        """The wordings of the actions."""
        return tree_of(self.words, "action", [(a.name, len(a.parameters)) for a in self.domain.actions])

    def shared(self) -> list[tuple[str, str]]:
        """Return the pairs of predicates with a common wording, sorted."""
        pairs = {pair for names in self.facts.shared() for pair in combinations(sorted(names), 2)}
        return sorted(pairs)

    def literals(self, text: str) -> frozenset[Literal]:
        """Return the literals that the sentences of a text state.

        Raises:
            OrreryError: no wording, or wordings of more than one fact, explain a sentence.
        """
        return frozenset(self.read(text).literals)

    def read(self, text: str) -> ReadClauses:
        """Return the literals that the sentences of a text state, one each, in order.

        Raises:
            OrreryError: as ``literals``.
        """
        line, at = " ".join(text.replace(POINT, " ").split()), 0
        literals, held_out = list[Literal](), False
        while at < len(line):
            literal, end, is_held_out = self._fact(line, at)
            literals.append(literal)
            held_out = held_out or is_held_out
            at = min(end + 1, len(line))  # behind the space
        return ReadClauses(literals, at, held_out)

    def _fact(self, text: str, at: int) -> tuple[Literal, int, bool]:
        """Return the literal of the sentence at a place, its end, and whether its wording is held out."""
        readings = [
            (literal, stop.end(), held_out)
            for literal, end, held_out in self._clauses_at(text, at, opening=True)
            if (stop := STOP.match(text, end))
        ]
        if len({reading[:2] for reading in readings}) == 1:
            literal, end, _ = readings[0]
            return literal, end, all(held_out for _, _, held_out in readings)
        place = f"text at character {at}, {text[at : at + SHOWN]!r}"
        if not readings:
            raise OrreryError(place, f"no fact of {self.domain.name} is worded like this", "reword it")
        facts = ", ".join(sorted({write_literal(literal) for literal, _, _ in readings}))
        problem = f"more than one fact of {self.domain.name} is worded like this: {facts}"
        raise OrreryError(place, problem, f"reword one of them in {self.words.path}")

    def sentences(self, text: str, at: int) -> ReadClauses:
        """Return what the formal sentences at a place state, and where they and the space behind them end."""
        literals, held_out = list[Literal](), False
        while (sentence := self.sentence(text, at)) is not None:
            literals, held_out = literals + sentence.literals, held_out or sentence.held_out
            at = sentence.end + len(text[sentence.end :]) - len(text[sentence.end :].lstrip())
        return ReadClauses(literals, at, held_out)

    def _clauses_at(self, text: str, at: int, *, opening: bool) -> Iterator[tuple[Literal, int, bool]]:
        """Yield every reading of the clause at a place: its literal, its end, and whether it is held out."""
        for phrase in self.facts.read(text, at, opening=opening):
            yield Literal(phrase.atom), phrase.end, phrase.wording.held_out
        after = at + len(NEGATION)
        if text[at:after] == NEGATION or (opening and text[at:after].lower() == NEGATION):
            for phrase in self.facts.read(text, after):
                yield Literal(phrase.atom, False), phrase.end, phrase.wording.held_out

    def sentence(self, text: str, at: int) -> ReadClauses | None:
        """Return the literals of the formal sentence at a place; None if it cannot be read."""
        quantifier = QUANTIFIED.match(text, at)
        bindings = _bindings(quantifier[1]) if quantifier else [{}]
        clauses = self.clauses(text, quantifier.end() if quantifier else at)
        if clauses is None or not bindings or not STOP.match(text, clauses.end):
            return None
        literals = [_bound(literal, names) for names in bindings for literal in clauses.literals]
        return ReadClauses(literals, clauses.end + 1, clauses.held_out)

    def clauses(self, text: str, at: int) -> ReadClauses | None:
        """Return the literals of the list of clauses at a place; None if there is no clause."""
        if (first := self.clause(text, at)) is None:
            return None
        literals, end, held_out = first
        while joint := JOINT.match(text, end):
            if (clause := self.clause(text, joint.end(), opening=False)) is None:
                break
            literals, end, held_out = literals + clause.literals, clause.end, held_out or clause.held_out
        return ReadClauses(literals, end, held_out)

    def clause(self, text: str, at: int, *, opening: bool = True) -> ReadClauses | None:
        """Return the literal of the clause at a place, by its longest reading.

        Return None if there is no reading, or if two readings of that length differ.
        """
        if match := COMPARED.match(text, at):
            literal = Literal((EQUAL, match[1], match[2]), match[3] == "equal")
            return ReadClauses([literal], match.end(), False)
        return _longest(self._clauses_at(text, at, opening=opening))

    def phrase(self, text: str, at: int) -> ReadClauses | None:
        """Return the action that a text names at a place, by its longest reading.

        Return None if there is no reading, or if two readings of that length differ.
        """
        phrases = self.actions.read(text, at, opening=True)
        return _longest((Literal(phrase.atom), phrase.end, phrase.wording.held_out) for phrase in phrases)


def _longest(readings: Iterable[tuple[Literal, int, bool]]) -> ReadClauses | None:
    """Return the longest reading; None if several of that length differ.

    It is held out if all wordings that give it are held out.
    """
    by_length = sorted(readings, key=lambda reading: -reading[1])
    longest = [reading for reading in by_length if reading[1] == by_length[0][1]]
    if len({reading[0] for reading in longest}) != 1:
        return None
    literal, end, _ = longest[0]
    return ReadClauses([literal], end, all(held_out for _, _, held_out in longest))


def _bindings(text: str) -> list[dict[str, str]]:
    """Return the names for the variables of "?x among a and b and every ?y among c, d and e".

    The list is empty if the text cannot be read.
    """
    choices: list[list[tuple[str, str]]] = []
    for part in text.split(" and every "):
        if (match := AMONG.fullmatch(part)) is None:
            return []
        choices.append([(match[1], name) for name in names_of(match[2])])
    return [dict(names) for names in product(*choices)]


def names_of(text: str) -> list[str]:
    """Return the elements of a list such as "a, b and c"."""
    *first, last = text.split(", ")
    return [*first, *last.split(" and ")]


def _bound(literal: Literal, names: dict[str, str]) -> Literal:
    return Literal(tuple(names.get(term, term) for term in literal.atom), literal.positive)
