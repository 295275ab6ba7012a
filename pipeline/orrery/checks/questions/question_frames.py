"""The sentences of a question around what it names: they must be a wording of the question's kind, whole.

What a question names (an action, a plan, a claim) is read elsewhere, see ``words_read_back``. Here it is left
open, and all the rest of the question has to be what the template of the kind says, to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

from orrery.checks.questions.columns import BOOL, MCQ, OPEN, format_of
from orrery.checks.reading.contexts import may_be_one
from orrery.language.words import WORDINGS_TRIED, Words, macros_of
from orrery.model import OBJECT, Domain

WORDS, PDDL = "\x01", "\x02"  # where a question names something: in the words of the domain, or in PDDL
NAMED = ("plan", "sequence")  # columns of open questions that the question names in PDDL
GROUPS = MappingProxyType(
    {
        re.escape(WORDS): ("(?P<words>.+)", "(?P=words)"),
        re.escape(PDDL): ("(?P<pddl>.+)", "(?P=pddl)"),
    }
)
PATTERNS_KEPT = 5_000
ENDINGS = "bool_mcq"  # the template of what closed questions end with

Row = Mapping[str, Any]


class QuestionFrames:
    """The wordings of questions on one domain, with what they name left open."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare the frames of questions in ``words``; they are made at first use."""
        self.words, self.domain = words, domain
        self._frames = cache(self._open_frames)

    def check(self, row: Row) -> list[str]:
        """Return where the question, in words or in PDDL, is no wording of its kind around what it names."""
        form, kind = format_of(row), row["kind"]
        if form == OPEN:
            return [*self._open(row, kind)]
        templates = self.words.templates
        endings = _endings(templates, "bool_ending" if form == BOOL else "mcq_ending")
        frames = _closed_frames(templates, kind, "question_bool" if form == BOOL else "question_mcq")
        return [*_closed_faults(row, form, frames, endings)]

    def _open(self, row: Row, kind: str) -> Iterator[str]:
        named = next((" ".join(row[name]) for name in NAMED if name in row), None)
        for column in ("question", "question_pddl"):
            matches = [m for frame in self._frames(kind, column) if (m := frame.fullmatch(row[column]))]
            if not matches:
                yield f"{column} is no wording of a question of kind {kind}"
            elif named is not None and all(match.groupdict().get("pddl") != named for match in matches):
                yield f"{column} names other actions than the row"

    def _open_frames(self, kind: str, column: str) -> list[re.Pattern[str]]:
        """Return the wordings of the open questions of a kind, as patterns."""
        module = macros_of(self.words.templates, f"questions/{kind}", "question")
        macro = getattr(module, column, module.question)
        arguments = [PDDL if name in NAMED else WORDS for name in macro.arguments[2:]]
        return _patterns(str(macro(self._said, n, *arguments)) for n in range(WORDINGS_TRIED))

    @cached_property
    def _said(self) -> SimpleNamespace:
        """What a template asks of a context: marks for what is named, and what the domain's types allow."""
        return SimpleNamespace(
            action=lambda _: WORDS,
            pddl=lambda *_: PDDL,
            actions=list(map(_typed, self.domain.actions)),
            propositions=[_typed(p) for p in self.domain.predicates if p.name in self.domain.fluents],
            facts_may_repeat=any(
                may_be_one(self.domain, first, second)
                for predicate in self.domain.predicates
                if predicate.name in self.domain.fluents
                for first, second in combinations(predicate.parameters, 2)
            ),
        )


@cache
def _closed_frames(templates: Path, kind: str, macro: str) -> list[re.Pattern[str]]:
    """Return the wordings of closed questions of a kind, without their endings, as patterns."""
    called = getattr(macros_of(templates, f"questions/{kind}", macro), macro)
    marks = (WORDS, PDDL)[-(2 if macro == "question_bool" else 1) :]
    # Some wordings look at a claim: whether it is of two actions, in words or in PDDL.
    pairs = (f"(1) {WORDS}", f"({WORDS}) ({PDDL})") if macro == "question_bool" else ()
    samples = [marks, *((pair, PDDL) for pair in pairs)]
    return _patterns(str(called(n, *sample)) for sample in samples for n in range(WORDINGS_TRIED))


@cache
def _endings(templates: Path, macro: str) -> tuple[str, ...]:
    """Return what closed questions end with."""
    called = getattr(macros_of(templates, f"questions/{ENDINGS}", macro), macro)
    return tuple(dict.fromkeys(_lines(str(called(n))) for n in range(WORDINGS_TRIED)))


def _closed_faults(
    row: Row, form: str, frames: Sequence[re.Pattern[str]], endings: Sequence[str]
) -> Iterator[str]:
    """Yield where a yes/no or multiple-choice question is not a wording, its options and an ending."""
    for column, options in (("question", "choices"), ("question_pddl", "choices_pddl")):
        ending = next((wording for wording in endings if row[column].endswith("\n" + wording)), None)
        body = row[column].removesuffix(f"\n{ending}")
        if form == MCQ:
            texts = row[options]["text"] if options == "choices" else row[options]
            listed = "".join(f"\n{label}. {text}" for label, text in zip("ABCD", texts, strict=False))
            if not body.endswith(listed):
                yield f"{column} does not end with its options"
            body = body.removesuffix(listed)
            if options == "choices" and body != row["query"]:
                yield "query is not the question without its options"
        if ending is None or not any(frame.fullmatch(body) for frame in frames):
            yield f"{column} is no wording of such a question"


def _typed(symbol: Any) -> SimpleNamespace:
    """Return what a template may ask of a symbol: whether the types of its arguments are named."""
    return SimpleNamespace(typed=[p for p in symbol.parameters if OBJECT not in p.types])


def _patterns(texts: Iterator[str]) -> list[re.Pattern[str]]:
    """Return a pattern of each text; what a mark in it stands for is the same wherever it stands."""
    return [_pattern(text) for text in dict.fromkeys(map(_lines, texts))]


@lru_cache(maxsize=PATTERNS_KEPT)
def _pattern(text: str) -> re.Pattern[str]:
    """Return the pattern of a text; domains have most of their frames in common."""
    regex = re.escape(text)
    for mark, (first, again) in GROUPS.items():
        regex = regex.replace(mark, first, 1).replace(mark, again)
    return re.compile(regex)


def _lines(text: str) -> str:
    """Return the lines of a text that say something, with single spaces."""
    return "\n".join(line for line in (" ".join(raw.split()) for raw in text.splitlines()) if line)
