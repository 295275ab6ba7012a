"""Read what a world says back as actions and literals.

    You <action>. Now <clauses>.        You <action>. Nothing changes.        You cannot <action>: <clauses>.

A clause is a fact, or its negation: by "not" after the verb, by "no" for an indefinite article or after
"there is", or by the words of a negated literal. It has two readings if the words of one fact deny another:
"the lamp is not switched on" for a lamp that is dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from orrery.checks.reading.sentences import JOINT, ReadClauses, SentenceReader
from orrery.model import Literal, Step

DENIED = re.compile(r"\b(?:is|are)( not)\b")
ARTICLES = ("a ", "an ")
SHOWN = 80

Readings: TypeAlias = frozenset[Literal]  # of one clause


class ReadObservation(NamedTuple):
    """The action that an observation names, and its clauses: what has changed, or why it is impossible."""

    step: Step
    clauses: list[Readings]


def state_each(clauses: Sequence[Readings], literals: Iterable[Literal]) -> bool:
    """Return whether each clause states one of the literals, and every literal is stated once."""
    unstated = set(literals)
    for readings in sorted(clauses, key=len):
        stated = sorted(readings & unstated)
        if not stated:
            return False
        unstated.remove(stated[0])
    return not unstated


@dataclass(frozen=True)
class ObservationReader:
    """Reads the observations of worlds of one domain."""

    sentences: SentenceReader

    def effect(self, text: str) -> ReadObservation:
        """Return what an observation says of a done action.

        Raises:
            ValueError: it cannot be read.
        """
        step, at = self.action(text, "You ")
        if text[at:] == ". Nothing changes.":
            return ReadObservation(step, [])
        return ReadObservation(step, self._listed(text, _after(text, at, ". Now ")))

    def refusal(self, text: str) -> ReadObservation:
        """Return what an observation says of an impossible action.

        Raises:
            ValueError: it cannot be read.
        """
        step, at = self.action(text, "You cannot ")
        return ReadObservation(step, self._listed(text, _after(text, at, ": ")))

    def action(self, text: str, opening: str = "") -> tuple[Step, int]:
        """Return the action that a text names after ``opening``, and where its phrase ends.

        Raises:
            ValueError: it names none, or its words are ambiguous.
        """
        at = _after(text, 0, opening)
        phrase = self.sentences.phrase(text, at)
        if phrase is None:
            raise ValueError(f"no action is worded like {text[at : at + SHOWN]!r}")
        return phrase.literals[0].atom, phrase.end

    def _listed(self, text: str, at: int) -> list[Readings]:
        """Return the clauses of the list at a place, which a full stop ends."""
        clauses = list[Readings]()
        while True:
            readings, end = self._clause(text, at)
            clauses.append(readings)
            if text[end:] == ".":
                return clauses
            joint = JOINT.match(text, end)
            if joint is None:
                raise ValueError(f"no clause ends before {text[end : end + SHOWN]!r}")
            at = joint.end()

    def _clause(self, text: str, at: int) -> tuple[Readings, int]:
        """Return the longest readings of the clause at a place, and where it ends."""
        readings = [*self._denied(text, at)]
        if plain := self.sentences.clause(text, at, opening=False):
            readings.append(plain)
        if not readings:
            raise ValueError(f"no fact is worded like {text[at : at + SHOWN]!r}")
        end = max(reading.end for reading in readings)
        literals = [literal for reading in readings if reading.end == end for literal in reading.literals]
        return frozenset(literals), end

    def _denied(self, text: str, at: int) -> Iterator[ReadClauses]:
        """Yield the readings of the clause at a place as the denial of a fact."""
        for before, place, affirmed in _affirmations(text, at):
            read = self.sentences.clause(
                text[:place] + affirmed + text[place + len(before) :], at, opening=False
            )
            if read and read.end >= place + len(affirmed):
                literals = [Literal(atom, not positive) for atom, positive in read.literals]
                yield ReadClauses(literals, read.end + len(before) - len(affirmed), read.held_out)


def _affirmations(text: str, at: int) -> Iterator[tuple[str, int, str]]:
    """Yield what may make the clause at a place a denial: a part of the text, where, and what affirms."""
    if verb := DENIED.search(text, at):
        yield verb[1], verb.start(1), ""
    for opening, articles in (("there is ", ("", *ARTICLES)), ("", ARTICLES)):
        if text.startswith(f"{opening}no ", at):
            yield from (("no ", at + len(opening), article) for article in articles)


def _after(text: str, at: int, opening: str) -> int:
    """Return the place after ``opening``, which must be at a place of a text.

    Raises:
        ValueError: it is not.
    """
    if not text.startswith(opening, at):
        raise ValueError(f"{text[at : at + SHOWN]!r} does not begin with {opening!r}")
    return at + len(opening)
