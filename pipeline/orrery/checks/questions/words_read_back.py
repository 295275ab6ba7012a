"""The words of claims and sequences, read back to facts and actions with the words of the domain.

Knows nothing of how a question was put together: clauses and phrases of the domain become patterns, and
what they read in an option, in a yes/no question or in a numbered sequence must be what the row says
formally. A claim and its words could otherwise differ, and every other check would pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jinja2 import TemplateError

from orrery.checks.questions.columns import MCQ, OPEN, format_of
from orrery.language.read_back import PLACEHOLDERS, clause_pattern
from orrery.language.words import WORDINGS_TRIED, Words, environment
from orrery.model import Atom, Domain, OrreryError, TypedName
from orrery.pddl.write import parse_atom, write_atom

# Keys of a claim: what it names as actions, or states as facts; ``action`` may also be what facts depend on.
ACTIONS, FACTS = ("actions", "remove", "action"), ("facts", "fact")
FIRST = "(1) "
JOINTS = re.compile(r", directly followed by | and |; \(2\) ")
NUMBERED = re.compile(r"(?:^|(?<=[\s;]))\((\d+)\) ")
IN_PARENTHESES = re.compile(r"\([^()]*\)")
END = r"(?=$|[.;?,:])"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class _Pattern:
    """The pattern of one wording of a predicate or action; the groups are its arguments."""

    name: str
    arity: int
    written: str

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """The pattern of the wording alone."""
        return re.compile(self.written)

    @cached_property
    def within(self) -> re.Pattern[str]:
        """The pattern of the wording between other words."""
        return re.compile(rf"\b(?:{self.written})(?![\w-])")

    @cached_property
    def first(self) -> re.Pattern[str]:
        """The pattern of the wording before a mark."""
        return re.compile(f"{self.written}{END}")


class Phrases:
    """Reads clauses that state facts, and phrases that name actions, of one domain."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Make a pattern for each wording in ``words`` of each symbol of ``domain``."""
        facts = [(each.name, each.parameters) for each in domain.predicates]
        actions = [(each.name, each.parameters) for each in domain.actions]
        self.words = words
        self.facts = [p for name, parameters in facts for p in self._patterns("fact", name, parameters)]
        self.actions = [p for name, parameters in actions for p in self._patterns("action", name, parameters)]

    def judgements(self, kind: str, says: str) -> set[str]:
        """Return the wordings of a judgement that a kind claims of a sequence.

        Raise OrreryError on bad words.
        """
        name = f"questions/{kind}.j2"
        path = self.words.templates / name
        try:
            module: Any = environment(self.words.templates).get_template(name).module
            return {" ".join(str(module.judgement(n, says)).split()) for n in range(WORDINGS_TRIED)}
        except (TemplateError, AttributeError, TypeError) as error:
            raise OrreryError(str(path), str(error), "it must define judgement(variant, says)") from error

    def _patterns(self, kind: str, name: str, parameters: Sequence[TypedName]) -> Iterator[_Pattern]:
        seen = set()
        for variant in range(self.words.variants(kind, name)):
            for family in PLACEHOLDERS:
                holders = [family.format(i) for i in range(len(parameters))]
                clause = self.words.say(kind, name, *holders, variant=variant).rstrip(" .")
                regex = clause_pattern(clause, holders)
                if regex not in seen:
                    seen.add(regex)
                    yield _Pattern(name, len(parameters), regex)

    def readings(self, text: str, actions: bool) -> set[tuple[Atom, ...]]:
        """Return all that ``text`` may say: one fact or action, or two with a conjunction between them."""
        found: set[tuple[Atom, ...]] = {(atom,) for atom in self._whole(text, actions)}
        for joint in JOINTS.finditer(text):
            if text.startswith(FIRST) != joint[0].endswith("(2) "):
                continue
            first = self._whole(text[: joint.start()].removeprefix(FIRST), actions)
            second = self._whole(text[joint.end() :], actions) if first else []
            found |= {(one, other) for one in first for other in second}
        return found

    def _whole(self, text: str, actions: bool) -> list[Atom]:
        patterns = self.actions if actions else self.facts
        return [_atom(p, match) for p in patterns if (match := p.whole.fullmatch(text))]

    def says(self, text: str, atoms: Sequence[Atom], actions: bool) -> bool:
        """Return whether ``atoms`` are said somewhere in ``text``, in their order, one joined to the next."""
        ends = {m.end() for m in self._matches(text, atoms[0], actions)}
        for atom in atoms[1:]:
            starts = {joint.end() for joint in JOINTS.finditer(text) if joint.start() in ends}
            ends = {m.end() for m in self._matches(text, atom, actions) if m.start() in starts}
        return bool(ends)

    def _matches(self, text: str, atom: Atom, actions: bool) -> Iterator[re.Match[str]]:
        """Yield the spans of ``text``, at word boundaries, where a wording of ``atom`` stands."""
        for pattern in self.actions if actions else self.facts:
            if (pattern.name, pattern.arity) == (atom[0], len(atom) - 1):
                for match in pattern.within.finditer(text):
                    if _atom(pattern, match) == atom:
                        yield match

    def begun(self, text: str, step: Atom) -> int | None:
        """Return where the wording of ``step`` that ``text`` begins with ends.

        Return None where it begins otherwise.
        """
        longest: dict[int, set[Atom]] = {}
        for pattern in self.actions:
            if match := pattern.first.match(text):
                longest.setdefault(match.end(), set()).add(_atom(pattern, match))
        end = max(longest, default=0)
        return end if longest.get(end) == {step} else None


def _atom(pattern: _Pattern, match: re.Match[str]) -> Atom:
    return (pattern.name, *(match[f"a{i}"].lower() for i in range(pattern.arity)))


def check(row: Row, phrases: Phrases) -> list[str]:
    """Return where the words of a yes/no or multiple choice question differ from its formal claims.

    The question in PDDL must name the same: what it speaks of, then the claims in their order.
    """
    form = format_of(row)
    if form == OPEN:
        return []
    claims = json.loads(row["claims"]) if form == MCQ else [json.loads(row["claim"])]
    about, atoms = _about(claims[0]), [_claimed(claim) for claim in claims]
    actions = not any(key in claims[0] for key in FACTS)
    found = _spoken_of(row["query" if form == MCQ else "question"], about, phrases)
    if form == MCQ:
        for text, wanted in zip(row["choices"]["text"], atoms, strict=False):
            said = phrases.readings(text, actions) if wanted else {wanted}
            found += [f"'{text}' does not say {_written(wanted)} alone"] * (said != {wanted})
        for text, says in zip(row["choices"]["text"], [c.get("says") for c in claims], strict=False):
            if says and text not in phrases.judgements(row["kind"], says):
                found.append(f"'{text}' does not say {says}")
    elif atoms[0] and not phrases.says(_apart(row["question"], about, phrases), atoms[0], actions):
        found.append(f"the question does not say {_written(atoms[0])}")
    return found + _formal(row, about, atoms, phrases)


def _about(claim: Row) -> list[Atom]:
    """Return the action, plan or sequence that a claim speaks of."""
    if "action" in claim and any(key in claim for key in FACTS):
        return [parse_atom(claim["action"])]
    return list(map(parse_atom, claim.get("sequence", claim.get("plan", ()))))


def _claimed(claim: Row) -> tuple[Atom, ...]:
    """Return the facts or actions that a claim is about; none where it judges a sequence."""
    found: str | list[str] = next((claim[key] for key in (*FACTS, *ACTIONS) if key in claim), [])
    return tuple(map(parse_atom, [found] if isinstance(found, str) else found))


def _spoken_of(question: str, about: list[Atom], phrases: Phrases) -> list[str]:
    """Return the steps that the question does not list, in order; those of unknown names have no words."""
    known = {pattern.name for pattern in phrases.actions}
    if len(about) < 2:
        return [
            f"the question does not name {write_atom(step)}"
            for step in about
            if step[0] in known and not phrases.says(question, [step], True)
        ]
    marks = list(NUMBERED.finditer(question))
    if [int(mark[1]) for mark in marks] != list(range(1, len(about) + 1)):
        return [f"the question does not number {len(about)} steps"]
    return [
        f"step {mark[1]} of the question is not {write_atom(step)}"
        for mark, step in zip(marks, about, strict=True)
        if step[0] in known and phrases.begun(question[mark.end() :], step) is None
    ]


def _apart(question: str, about: list[Atom], phrases: Phrases) -> str:
    """Return the question without the numbered steps that it lists: its claims must stand elsewhere."""
    marks = list(NUMBERED.finditer(question))
    if len(about) < 2 or not marks:
        return question
    after = question[marks[-1].end() :]
    return question[: marks[0].start()] + after[phrases.begun(after, about[-1]) or 0 :]


def _formal(row: Row, about: list[Atom], atoms: list[tuple[Atom, ...]], phrases: Phrases) -> list[str]:
    """Return where the question or an option in PDDL names other facts and actions than the claims."""
    wanted = [write_atom(atom) for atom in [*about, *(atom for each in atoms for atom in each)]]
    known = {pattern.name for pattern in (*phrases.facts, *phrases.actions)}
    named = [text for text in IN_PARENTHESES.findall(row["question_pddl"]) if _begins(text, known, wanted)]
    found = [] if named == wanted else ["question_pddl names other things"]
    if "choices_pddl" in row and atoms[0]:
        texts = [" ".join(map(write_atom, each)) for each in atoms]
        found += ["choices_pddl names other things"] * (
            texts != [_bare(each) for each in row["choices_pddl"]]
        )
    return found


def _begins(text: str, known: set[str], wanted: list[str]) -> bool:
    """Return whether the parentheses hold a fact or an action, not just words."""
    return text in wanted or text[1:-1].partition(" ")[0] in known


def _bare(option: str) -> str:
    """Return the facts or actions of an option, without the words that join them."""
    return " ".join(IN_PARENTHESES.findall(option))


def _written(atoms: tuple[Atom, ...]) -> str:
    return " ".join(map(write_atom, atoms))
