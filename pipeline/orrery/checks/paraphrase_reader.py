"""Decide whether a text from another author describes a given problem, by the wordings of our templates.

A text can be read if it is one of our frames around a list of the objects, the initial state and the goal,
with sentences in any order and any wordings of the domain. There is no verdict on other texts: they may also
describe the problem.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from orrery.catalog import entry_of
from orrery.checks.reading.prose import MaskedText
from orrery.checks.texts import INIT_AND_GOAL, DomainTexts, Reader
from orrery.language.choices import Wordings
from orrery.language.words import Words, macro_name
from orrery.model import Domain, Literal, OrreryError, Problem, Row
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_literal

STOP = re.compile(r"\.(?= |$)")
JOINT = re.compile(r" (?:- )?|$")  # between sentences, which may be items of a list
UNREAD = "it is not made of the wordings that the reader knows"
PLAIN = "plain"
SHOWN, QUOTED = 3, 50  # limits for a reason: facts that it names, and characters that it quotes

Stated: TypeAlias = frozenset[Literal] | None  # None if a passage describes the whole part


class ReadParaphrase(NamedTuple):
    """The result: whether the text describes the problem (None: it cannot be read), and the reason if not."""

    same: bool | None
    why: str = ""


class ParaphraseReader:
    """Reads texts of one domain."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare to read texts in ``words``; patterns are made at first use."""
        self.words, self.domain = words, domain
        self.reader = Reader.of(words, domain)

    def read(self, row: Row, text: str) -> ReadParaphrase:
        """Return whether a text describes the problem of a row of ``text_to_pddl``."""
        if row["vocabulary"] != PLAIN:
            return ReadParaphrase(None, f"the reader knows no words of the vocabulary {row['vocabulary']}")
        problem = read_problem(row["problem_pddl"], self.domain, str(row["id"]))
        texts = _Texts(self.reader, problem)
        return texts.read(" ".join(text.split()), self._passages(row, texts), bool(row["open_objects"]))

    def stated(self, text: str, problem: Problem) -> frozenset[Literal]:
        """Return the literals that sentences state on objects of a problem; empty if one is unreadable."""
        line = " ".join(text.split())
        ends = dict(_Texts(self.reader, problem).sentences(line, 0))
        return ends.get(len(line)) or frozenset()

    def _passages(self, row: Row, texts: DomainTexts) -> dict[str, Wordings]:
        """Return the wordings of the passages of the row, by part.

        The open objects of a text depend on its wording; therefore, a row with open objects keeps its own
        passage.
        """
        abstract = [part for part in INIT_AND_GOAL if row[f"{part}_is_abstract"]]
        if row["open_objects"]:
            return {part: Wordings.listed([" ".join(row[f"{part}_text"].split())]) for part in abstract}
        parameters = json.loads(row["parameters"])
        return {
            part: self.words.every(macro_name(part, row[part]), parameters[part], texts.names)
            for part in abstract
        }


@cache
def reader_of(root: Path, name: str) -> ParaphraseReader:
    """Return the reader of texts of a domain, cached in each process: its patterns are costly to build."""
    entry = entry_of(root, name)
    return ParaphraseReader(entry.words, entry.domain)


class _Texts(DomainTexts):
    """The texts of one problem."""

    def read(self, text: str, passages: Mapping[str, Wordings], opened: bool) -> ReadParaphrase:
        """Return whether a text in single spaces describes the problem.

        ``passages`` are the allowed passages. ``opened`` says that the parts with passages may not be stated
        fact by fact.
        """
        stated_by_part: dict[str, Stated] = {}
        sentences = cache(lambda at: list(self.sentences(text, at)))

        def part(name: str, text: str, at: int) -> Iterator[int]:
            passage = passages[name].ends(text, at) if name in passages else ()
            facts = [] if opened and name in passages else sentences(at)
            for end, stated in [*((end, None) for end, _ in passage), *facts]:
                stated_by_part[name] = stated  # facts of the reading that is followed at present
                yield end

        reasons = []
        for _ in self.frames(text, {name: partial(part, name) for name in INIT_AND_GOAL}):
            if not (why := self._differs(stated_by_part)):
                return ReadParaphrase(True)
            reasons.append(why)
        if reasons:
            return ReadParaphrase(False, reasons[0])
        return ReadParaphrase(None, f"{UNREAD}: not from {text[self.read_to :][:QUOTED].strip()!r} on")

    def _differs(self, stated_by_part: Mapping[str, Stated]) -> str:
        """Return where the stated parts differ from the problem; the empty string if they agree."""
        init, goal = stated_by_part["init"], stated_by_part["goal"]
        all_of = frozenset(Literal(fact) for fact in self.problem.init)
        differences = (
            [] if init is None else [("initial state", self._facts_in_sentences - init, init - all_of)]
        )
        differences += [] if goal is None else [("goal", self.problem.goal - goal, goal - self.problem.goal)]
        return "; ".join(
            f"its {part} {verb} {_abbreviate_facts(facts)}"
            for part, lacking, wrong in differences
            for verb, facts in (("lacks", lacking), ("wrongly has", wrong))
            if facts
        )

    def sentences(self, text: str, at: int) -> Iterator[tuple[int, Stated]]:
        """Yield the ends of the sentences from ``at`` on, each with all facts stated up to it."""
        prose, at_once = MaskedText(self.reader.told, self.names), frozenset[Literal]()
        while stop := STOP.search(text, at):
            relation = self.reader.complete.read(text[at : stop.end()], self.names)
            if relation.facts and not relation.rest:
                at_once |= frozenset(map(Literal, relation.facts))
            else:
                try:
                    prose.read_sentence(text[at : stop.start()])
                except OrreryError:
                    return
            yield stop.end(), at_once | frozenset(prose.literals)
            joint = JOINT.match(text, stop.end())
            at = joint.end() if joint else stop.end()


def _abbreviate_facts(facts: frozenset[Literal]) -> str:
    """Return the first facts in PDDL, and the number of the others."""
    ordered = sorted(facts)
    named = map(write_literal, ordered[:SHOWN])
    return ", ".join([*named, *([f"{len(ordered) - SHOWN} more"] if len(ordered) > SHOWN else [])])
