"""The words of claims and sequences, read back to facts and actions with the words of the domain.

Knows nothing of how a question was put together: clauses and phrases of the domain become patterns, and
what they read in an option, in a yes/no question or in a numbered sequence must be what the row says
formally. A claim and its words could otherwise differ, and every other check would pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from orrery.checks.questions.columns import MCQ, OPEN, format_of
from orrery.checks.reading.sentences import sentence_reader
from orrery.checks.reading.wording_tree import Phrase, WordingTree
from orrery.language.words import WORDINGS_TRIED, Words, macros_of
from orrery.model import Atom, Domain
from orrery.pddl.write import parse_atom, write_atom

# Keys of a claim: what it names as actions, or states as facts; ``action`` may also be what facts depend on.
ACTIONS, FACTS = ("actions", "remove", "action"), ("facts", "fact")
FIRST = "(1) "
JOINTS = re.compile(r", directly followed by | and |; \(2\) ")
NUMBERED = re.compile(r"(?:^|(?<=[\s;]))\((\d+)\) ")
IN_PARENTHESES = re.compile(r"\([^()]*\)")
END = re.compile(r"$|[.;?,:]")

Row = Mapping[str, Any]


class ClaimReader:
    """Reads the clauses and phrases of claims on one domain."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Take the wordings of the facts and actions of ``domain``."""
        self.words, self.domain = words, domain
        self.sentences = sentence_reader(words, domain)

    def judgements(self, kind: str, says: str) -> set[str]:
        """Return the wordings of a judgement that a kind claims of a sequence.

        Raises:
            OrreryError: the template of the kind has no such judgement.
        """
        judgement = macros_of(self.words.templates, f"questions/{kind}", "judgement").judgement
        return {" ".join(str(judgement(n, says)).split()) for n in range(WORDINGS_TRIED)}

    def readings(self, text: str, actions: bool) -> set[tuple[Atom, ...]]:
        """Return all that ``text`` may say: one fact or action, or two with a conjunction between them."""
        readings: set[tuple[Atom, ...]] = {(atom,) for atom in self._whole(text, actions)}
        for joint in JOINTS.finditer(text):
            if text.startswith(FIRST) == joint[0].endswith("(2) "):
                first = self._whole(text[: joint.start()].removeprefix(FIRST), actions)
                second = self._whole(text[joint.end() :], actions) if first else set()
                readings |= set(product(first, second))
        return readings

    def says(self, text: str, atoms: Sequence[Atom], actions: bool) -> bool:
        """Return whether ``atoms`` are said somewhere in ``text``, in their order, one joined to the next."""
        first, *later_atoms = atoms
        ends = self._tree(actions).ends(text, first)
        for atom in later_atoms:
            starts = [joint.end() for joint in JOINTS.finditer(text) if joint.start() in ends]
            phrases = [phrase for start in starts for phrase in self._phrases(text, start, actions)]
            ends = {phrase.end for phrase in phrases if phrase.atom == atom}
        return bool(ends)

    def begun(self, text: str, step: Atom) -> int | None:
        """Return where the wording of ``step`` at the beginning of a text ends; None if there is another."""
        phrases = [phrase for phrase in self._phrases(text, 0, actions=True) if END.match(text, phrase.end)]
        end = max((phrase.end for phrase in phrases), default=0)
        return end if {phrase.atom for phrase in phrases if phrase.end == end} == {step} else None

    def _phrases(self, text: str, at: int, actions: bool) -> Iterator[Phrase]:
        return self._tree(actions).read(text, at, opening=True)

    def _tree(self, actions: bool) -> WordingTree:
        """Return the wordings of the actions, or of the facts."""
        return self.sentences.actions if actions else self.sentences.facts

    def _whole(self, text: str, actions: bool) -> set[Atom]:
        return {phrase.atom for phrase in self._phrases(text, 0, actions) if phrase.end == len(text)}


def check(row: Row, reader: ClaimReader) -> list[str]:
    """Return where the words of a yes/no or multiple choice question differ from its formal claims.

    The question in PDDL must name the same: what it speaks of, then the claims in their order.
    """
    form = format_of(row)
    if form == OPEN:
        return []
    claims = json.loads(row["claims"]) if form == MCQ else [json.loads(row["claim"])]
    about, atoms = _about(claims[0]), [_claimed(claim) for claim in claims]
    actions = not any(key in claims[0] for key in FACTS)
    faults = _spoken_of(row["query" if form == MCQ else "question"], about, reader)
    if form == MCQ:
        for text, claimed in zip(row["choices"]["text"], atoms, strict=False):
            readings = reader.readings(text, actions) if claimed else {claimed}
            faults += [f"'{text}' does not say {_written(claimed)} alone"] * (readings != {claimed})
        for text, says in zip(row["choices"]["text"], [c.get("says") for c in claims], strict=False):
            if says and text not in reader.judgements(row["kind"], says):
                faults.append(f"'{text}' does not say {says}")
    elif atoms[0] and not reader.says(_apart(row["question"], about, reader), atoms[0], actions):
        faults.append(f"the question does not say {_written(atoms[0])}")
    return faults + _formal(row, about, atoms, reader)


def _about(claim: Row) -> list[Atom]:
    """Return the action, plan or sequence that a claim speaks of."""
    if "action" in claim and any(key in claim for key in FACTS):
        return [parse_atom(claim["action"])]
    return list(map(parse_atom, claim.get("sequence", claim.get("plan", ()))))


def _claimed(claim: Row) -> tuple[Atom, ...]:
    """Return the facts or actions that a claim is about; none where it judges a sequence."""
    atoms: str | list[str] = next((claim[key] for key in (*FACTS, *ACTIONS) if key in claim), [])
    return tuple(map(parse_atom, [atoms] if isinstance(atoms, str) else atoms))


def _spoken_of(question: str, about: list[Atom], reader: ClaimReader) -> list[str]:
    """Return the steps that the question does not list, in order; those of unknown names have no words."""
    actions = reader.domain.action_named
    if len(about) < 2:
        return [
            f"the question does not name {write_atom(step)}"
            for step in about
            if step[0] in actions and not reader.says(question, [step], True)
        ]
    marks = list(NUMBERED.finditer(question))
    if [int(mark[1]) for mark in marks] != list(range(1, len(about) + 1)):
        return [f"the question does not number {len(about)} steps"]
    return [
        f"step {mark[1]} of the question is not {write_atom(step)}"
        for mark, step in zip(marks, about, strict=True)
        if step[0] in actions and reader.begun(question[mark.end() :], step) is None
    ]


def _apart(question: str, about: list[Atom], reader: ClaimReader) -> str:
    """Return the question without the numbered steps that it lists: its claims must stand elsewhere."""
    marks = list(NUMBERED.finditer(question))
    if len(about) < 2 or not marks:
        return question
    after = question[marks[-1].end() :]
    return question[: marks[0].start()] + after[reader.begun(after, about[-1]) or 0 :]


def _formal(row: Row, about: list[Atom], atoms: list[tuple[Atom, ...]], reader: ClaimReader) -> list[str]:
    """Return where the question or an option in PDDL names other facts and actions than the claims."""
    expected = [write_atom(atom) for atom in [*about, *(atom for group in atoms for atom in group)]]
    symbols = {*reader.domain.predicate_named, *reader.domain.action_named}
    named = [
        text for text in IN_PARENTHESES.findall(row["question_pddl"]) if _begins(text, symbols, expected)
    ]
    faults = [] if named == expected else ["question_pddl names other things"]
    if "choices_pddl" in row and atoms[0]:
        texts = [" ".join(map(write_atom, group)) for group in atoms]
        faults += ["choices_pddl names other things"] * (
            texts != [_bare(group) for group in row["choices_pddl"]]
        )
    return faults


def _begins(text: str, symbols: set[str], expected: list[str]) -> bool:
    """Return whether the parentheses hold a fact or an action, not just words."""
    return text in expected or text[1:-1].partition(" ")[0] in symbols


def _bare(option: str) -> str:
    """Return the facts or actions of an option, without the words that join them."""
    return " ".join(IN_PARENTHESES.findall(option))


def _written(atoms: tuple[Atom, ...]) -> str:
    return " ".join(map(write_atom, atoms))
