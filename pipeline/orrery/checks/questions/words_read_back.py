"""Read the words of a question back: a wording of its kind around the content of the row, nothing else.

A question names an action, a plan or a claim. The wordings of its kind have placeholders for them; the words
of the domain read the text in these places, which must match the formal content of the row. Without this
check, a claim and its words could differ and every other check would pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import combinations, product
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, TypeAlias

from orrery.checks.questions.columns import MCQ, OPEN, format_of
from orrery.checks.reading.contexts import may_be_one
from orrery.checks.reading.sentences import sentence_reader
from orrery.language.words import WORDINGS_TRIED, Words, macros_of
from orrery.model import OBJECT, Atom, Domain, Row
from orrery.pddl.write import parse_atom, write_atom

# Marks in a wording: for the action, plan or sequence of a question, for its claim, and for an action in
# words beside the same in PDDL; no text has these signs.
MARKS = MappingProxyType({"about": "\x01", "claim": "\x02", "phrase": "\x03"})
ABOUT, CLAIM, PHRASE = MARKS.values()
SAMPLES = (CLAIM, f"(1) {CLAIM}", f"({CLAIM}) ({CLAIM})")  # some wordings depend on two-part claims
NAMED = ("plan", "sequence")  # columns of open questions whose content the question repeats in PDDL
ENDINGS = "bool_mcq"  # the template of the endings of closed questions
# Keys of a claim: what it names as actions, or states as facts; ``action`` may also be what facts depend on.
ACTIONS, FACTS = ("actions", "remove", "action"), ("facts", "fact")
JOINTS = re.compile(r", directly followed by | and ")
NUMBERED = re.compile(r"(?:^|; )\((\d+)\) ")
TRIED = range(WORDINGS_TRIED)
NUMBER = re.compile(r"-?\d+")
FRAMES_KEPT = 5_000

Frames: TypeAlias = Sequence[re.Pattern[str]]
Says: TypeAlias = Callable[[str, Sequence[Atom], bool], bool]  # whether a text states facts or actions


class QuestionReader:
    """Reads questions on one domain."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare to read questions in ``words``; patterns are made at first use."""
        self.words, self.domain = words, domain
        self.sentences = sentence_reader(words, domain)
        self._frames_of = cache(self._open_frames)

    def check(self, row: Row) -> list[str]:
        """Return where the question, in words or in PDDL, differs from the row."""
        return [*(self._open_faults(row) if format_of(row) == OPEN else self._closed_faults(row))]

    def readings(self, text: str, of_actions: bool) -> set[tuple[Atom, ...]]:
        """Return all readings of ``text``: one fact or action, or two with a conjunction between them."""
        parts = [(text,), *((text[: joint.start()], text[joint.end() :]) for joint in JOINTS.finditer(text))]
        readings = (product(*(self._whole(part, of_actions) for part in several)) for several in parts)
        return {reading for several in readings for reading in several}

    def says(self, text: str, atoms: Sequence[Atom], of_actions: bool) -> bool:
        """Return whether a text states the given facts or actions in order, and has no other reading.

        The wording of actions that the domain does not have is unknown; therefore, their words are not
        checked.
        """
        first, *numbered = NUMBERED.split(text)
        if first or not numbered:
            return self._is_foreign(*atoms) or self.readings(text, of_actions) == {tuple(atoms)}
        numbers, texts = numbered[::2], numbered[1::2]
        return numbers == [str(n) for n in range(1, len(atoms) + 1)] and all(
            self._is_foreign(atom) or self._whole(part, of_actions) == {atom}
            for part, atom in zip(texts, atoms, strict=True)
        )

    def judgements(self, kind: str, verdict: str) -> set[str]:
        """Return the wordings of a verdict on a sequence, for a kind.

        Raises:
            OrreryError: the template of the kind has no such verdict.
        """
        judgement = macros_of(self.words.templates, f"questions/{kind}", "judgement").judgement
        return {" ".join(str(judgement(n, verdict)).split()) for n in range(WORDINGS_TRIED)}

    def _whole(self, text: str, of_actions: bool) -> set[Atom]:
        """Return the facts or actions that the whole text is a wording of."""
        tree = self.sentences.actions if of_actions else self.sentences.facts
        return {phrase.atom for phrase in tree.read(text, 0, opening=True) if phrase.end == len(text)}

    def _is_foreign(self, *atoms: Atom) -> bool:
        """Return whether the atoms are a single action whose name the domain does not have."""
        symbols = {**self.domain.action_named, **self.domain.predicate_named}
        return len(atoms) == 1 and atoms[0][0] not in symbols

    def _open_faults(self, row: Row) -> Iterator[str]:
        """Yield a fault if an open question is not a wording of its kind around the content of the row."""
        named = next((" ".join(row[name]) for name in NAMED if name in row), None)
        for column in ("question", "question_pddl"):
            readings = _placeholder_texts(self._frames_of(row["kind"], column), row[column])
            if not readings:
                yield f"{column} is no wording of a question of kind {row['kind']}"
            elif not any(self._names(reading, named) for reading in readings):
                yield f"{column} names other actions than the row"

    def _names(self, reading: Mapping[str, str], named: str | None) -> bool:
        """Return whether an open question names the right content, in words the same as in PDDL."""
        about, phrase = reading.get("about"), reading.get("phrase")
        in_words = phrase is None or self.says(phrase, [parse_atom(about or "")], True)
        return in_words and named in (None, about)

    def _closed_faults(self, row: Row) -> Iterator[str]:
        """Yield a fault if a closed question is not a wording, its options and an ending."""
        form, templates = format_of(row), self.words.templates
        claims = json.loads(row["claims"]) if form == MCQ else [json.loads(row["claim"])]
        frames = _closed_frames(templates, row["kind"], f"question_{form}")
        speeches: dict[str, Says] = {"question": self.says, "question_pddl": _is_written}
        for column, says in speeches.items():
            body, ending = _split_off(row[column], _endings(templates, f"{form}_ending"))
            if form == MCQ:
                texts = row["choices"]["text"] if column == "question" else row["choices_pddl"]
                body, listed = _split_off(
                    body,
                    [
                        _lines(
                            "\n".join(f"{label}. {text}" for label, text in zip("ABCD", texts, strict=False))
                        )
                    ],
                )
                if listed is None:
                    yield f"{column} does not end with its options"
                if column == "question" and body != row["query"]:
                    yield "query is not the question without its options"
                for text, claim in zip(texts, claims, strict=False):
                    if not self._claims(text, claim, says):
                        yield f"{column}: '{text}' does not say {_written(claim)} alone"
            readings = _placeholder_texts(frames, body)
            if ending is None or not readings:
                yield f"{column} is no wording of such a question"
            elif not any(self._is_about(reading, claims[0], says, form) for reading in readings):
                yield f"{column} names other facts and actions than the row"

    def _claims(self, text: str, claim: Row, says: Says) -> bool:
        """Return whether a text states the content of a claim: facts, actions, or a verdict on a sequence.

        An added kind may claim integers instead: then the text must have exactly these integers.
        """
        if "says" in claim:
            return text in self.judgements(claim["kind"], claim["says"])
        if not any(key in claim for key in (*FACTS, *ACTIONS)):
            numbers = {str(value) for value in claim.values() if type(value) is int}
            return bool(numbers) and numbers == {*NUMBER.findall(text)}
        return says(text, _claimed(claim), not any(key in claim for key in FACTS))

    def _is_about(self, reading: Mapping[str, str], claim: Row, says: Says, form: str) -> bool:
        """Return whether a question names the subject and the content of its claims."""
        about = _about(claim)
        told = "about" in reading if about else True
        if about and not (told and says(reading["about"], about, True)):
            return False
        return form == MCQ or "says" in claim or self._claims(reading["claim"], claim, says)

    def _open_frames(self, kind: str, column: str) -> Frames:
        """Return patterns for the wordings of the open questions of a kind."""
        module = macros_of(self.words.templates, f"questions/{kind}", "question")
        macro = getattr(module, column, module.question)
        return _frames(
            str(macro(self._template_context, n, *(ABOUT for _ in macro.arguments[2:]))) for n in TRIED
        )

    @cached_property
    def _template_context(self) -> SimpleNamespace:
        """The context of a template: marks for its placeholders, and properties of the domain's types."""
        fluents = [p for p in self.domain.predicates if p.name in self.domain.fluents]
        return SimpleNamespace(
            action=lambda _: PHRASE,
            pddl=lambda *_: ABOUT,
            actions=list(map(_typed, self.domain.actions)),
            propositions=list(map(_typed, fluents)),
            facts_may_repeat=any(
                may_be_one(self.domain, *pair) for p in fluents for pair in combinations(p.parameters, 2)
            ),
        )


question_reader = cache(QuestionReader)


@cache
def _closed_frames(templates: Path, kind: str, macro: str) -> Frames:
    """Return patterns for the wordings of closed questions of a kind, without their endings."""
    called = getattr(macros_of(templates, f"questions/{kind}", macro), macro)
    if macro == f"question_{MCQ}":
        return _frames(str(called(n, ABOUT)) for n in TRIED)
    return _frames(str(called(n, claim, ABOUT)).replace(claim, CLAIM) for claim in SAMPLES for n in TRIED)


@cache
def _endings(templates: Path, macro: str) -> tuple[str, ...]:
    """Return the endings of closed questions."""
    called = getattr(macros_of(templates, f"questions/{ENDINGS}", macro), macro)
    return tuple(dict.fromkeys(_lines(str(called(n))) for n in TRIED))


def _about(claim: Row) -> list[Atom]:
    """Return the subject of a claim: an action, a plan or a sequence."""
    if "action" in claim and any(key in claim for key in FACTS):
        return [parse_atom(claim["action"])]
    return list(map(parse_atom, claim.get("sequence", claim.get("plan", ()))))


def _claimed(claim: Row) -> list[Atom]:
    """Return the facts or actions that a claim states; empty for a verdict on a sequence."""
    atoms: str | list[str] = next((claim[key] for key in (*FACTS, *ACTIONS) if key in claim), [])
    return list(map(parse_atom, [atoms] if isinstance(atoms, str) else atoms))


def _is_written(text: str, atoms: Sequence[Atom], _of_actions: bool) -> bool:
    """Return whether a text consists of the facts or actions in PDDL."""
    return text == " ".join(map(write_atom, atoms))


def _written(claim: Row) -> str:
    return " ".join(map(write_atom, _claimed(claim))) or str(claim.get("says"))


def _split_off(text: str, endings: Sequence[str]) -> tuple[str, str | None]:
    """Split a text into the part before its ending, and the ending; None if it has no ending."""
    ending = next((wording for wording in endings if text.endswith("\n" + wording)), None)
    return text.removesuffix(f"\n{ending}"), ending


def _typed(symbol: Any) -> SimpleNamespace:
    """Return the symbol as templates see it, with whether the types of its arguments are named."""
    return SimpleNamespace(typed=[p for p in symbol.parameters if OBJECT not in p.types])


def _placeholder_texts(frames: Frames, text: str) -> list[dict[str, str]]:
    """Return the texts in the placeholders, for each wording that matches the text."""
    return [match.groupdict() for frame in frames if (match := frame.fullmatch(text))]


def _frames(texts: Iterable[str]) -> Frames:
    """Return a pattern for each text; equal marks match equal texts."""
    return [_frame(text) for text in dict.fromkeys(map(_lines, texts))]


@lru_cache(maxsize=FRAMES_KEPT)
def _frame(text: str) -> re.Pattern[str]:
    """Return the pattern of a text, cached because domains share most of their wordings."""
    regex = re.escape(text)
    for name, mark in MARKS.items():
        regex = regex.replace(mark, f"(?P<{name}>.+)", 1).replace(mark, f"(?P={name})")
    return re.compile(regex)


def _lines(text: str) -> str:
    """Return the non-empty lines of a text, with single spaces."""
    return "\n".join(line for line in (" ".join(raw.split()) for raw in text.splitlines()) if line)
