"""Yes/no questions and multiple choice: claims on a state, in words and in PDDL, as rows of their tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from orrery.families.drafts import BOOL, MCQ, Columns, Draft, DraftsByFormat, Rejected, Shifts
from orrery.families.questions.balance import shifts_of
from orrery.families.questions.claims import (
    Claim,
    ClaimCandidate,
    Features,
    Offer,
    bare,
    coarse,
    paired,
    plain,
    whole,
)
from orrery.families.questions.context import WORDINGS, QuestionContext, neat
from orrery.families.questions.distractors import (
    OPTIONS,
    Length,
    OptionTurn,
    Ranks,
    by_features,
    lengths,
    matched_pair,
    opposites,
    options,
    rules_of_thumb,
)
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.exchange import leans_of
from orrery.families.questions.question_row import QuestionTexts, question_columns
from orrery.families.task import Task
from orrery.language.words import macros_of
from orrery.model import Atom, Step
from orrery.store.kinds import as_json

LABELS = "ABCD"
ENDINGS = "bool_mcq"  # the template for both formats, in addition to those of the kinds
Look: TypeAlias = Callable[[ClaimCandidate], Features]
TOO_FEW, NOTHING = "too few true or false claims", "nothing to claim"


@dataclass(frozen=True)
class CandidateClaims:
    """Claims of facts or actions, drawn from candidates whose surface features do not reveal the answer.

    Attributes:
        offer: draws the possible claims on a state, or raises why there are none; draws may differ.
        formal: writes the JSON of a claim, without its kind.
        fresh: draws those of yes/no questions of a stream, if they differ.
        of_actions: whether a claim names actions; otherwise, it states facts.
        joint: joins two parts of a claim in words.
        numbered: whether two parts are numbered instead, if no conjunction can express that both are meant.
        draws: number of offers from which the rows are chosen: several if true and false claims seldom match.
        sets: number of choices that are drawn from each offer, from which windows of a stream are chosen.
        looks: the features that options of a choice share, from all to few. Options with the first ones
            match; others are a choice, too, because balancing over all states may keep them.
        formats: the formats to make; the result of a call omits the others.
        spread: whether no single condition may fail in all wrong options of a choice, nor the watched one in
            several.
        loose: whether choices with any of the ``looks`` match, and all are made.
    """

    offer: Callable[[StateEvidence, random.Random], Offer]
    formal: Callable[[ClaimCandidate, Offer], Mapping[str, Any]]
    fresh: Callable[[StateEvidence, random.Random], Offer] | None = None
    of_actions: bool = False
    joint: str = " and "
    numbered: bool = False
    draws: int = 1
    sets: int = 1
    looks: tuple[Look, ...] = (whole, plain, coarse, bare)
    formats: tuple[str, ...] = (BOOL, MCQ)
    spread: bool = False
    loose: bool = False

    def __call__(
        self,
        task: Task,
        evidence: StateEvidence,
        context: QuestionContext,
        turn: OptionTurn,
        rng: random.Random,
    ) -> DraftsByFormat:
        """Return the drafts of each format: one or both answers of a yes/no question, and multiple choice.

        Each of the draws gives its drafts.
        """
        drawn = [self._draw_drafts(task, evidence, context, turn, rng) for _ in range(self.draws)]
        return {form: _together([claims[form] for claims in drawn]) for form in self.formats}

    def _draw_drafts(
        self,
        task: Task,
        evidence: StateEvidence,
        context: QuestionContext,
        turn: OptionTurn,
        rng: random.Random,
    ) -> DraftsByFormat:
        offer = self.offer(evidence, rng)
        phrasing = Phrasing(task, context, rng, offer.steps)
        words = partial(self._words, context)
        claim, length = partial(self._claim, words, offer), lengths(words)
        asks = BOOL in self.formats
        pair = matched_pair(by_features(offer.candidates, paired), offer, length, rng) if asks else []
        bool_rows = [
            phrasing.bool_draft(
                claim(candidate),
                repr(candidate.features),
                _measured(rules_of_thumb([candidate], offer, length)),
            )
            for candidate in pair
        ]
        if MCQ not in self.formats:
            return {BOOL: bool_rows or Rejected(NOTHING)}
        choices, matched = self._choices(offer, turn, length, rng)
        if (asks and not bool_rows) or not choices:
            return {BOOL: bool_rows or Rejected(NOTHING), MCQ: Rejected(TOO_FEW)}
        features = {candidate.atoms: candidate.features for candidate in offer.candidates}
        drafts = list[Draft]()
        for chosen in choices:
            option_features = [repr(features[candidate.atoms]) for candidate in chosen]
            measured = rules_of_thumb(chosen, offer, length)
            shifts = shifts_of(option_features, by_place(turn) | measured | opposites(measured))
            drawn_options, leans = turn.placed(list(map(claim, chosen))), leans_of(measured)
            drafts.append(phrasing.mcq_draft(drawn_options, shifts, matched=matched, leans=leans))
        return {BOOL: bool_rows, MCQ: drafts}

    def _choices(
        self, offer: Offer, turn: OptionTurn, length: Length, rng: random.Random
    ) -> tuple[list[list[ClaimCandidate]], bool]:
        """Return the options of different choices, and whether they match; further ones have random ranks."""
        choices = dict[frozenset[tuple[Atom, ...]], list[ClaimCandidate]]()
        for look in self.looks:
            grouped = by_features(offer.candidates, look)
            ranks = [turn.ranks, *(Ranks(*rng.choices(range(OPTIONS), k=2)) for _ in range(self.sets - 1))]
            for wanted in ranks:
                chosen = options(grouped, wanted, offer, length, rng)
                if chosen and not (self.spread and _is_told(chosen, offer.watched)):
                    choices[frozenset(option.atoms for option in chosen)] = chosen
            if choices and not self.loose:
                return list(choices.values()), look is self.looks[0]
        return list(choices.values()), self.loose

    def _words(self, context: QuestionContext, candidate: ClaimCandidate) -> str:
        """Return a claim in words: its actions, or the facts that it states."""
        word = context.action if self.of_actions else context.fact
        parts = [word(atom) for atom in candidate.atoms]
        if self.numbered and len(parts) > 1:
            return _numbered(parts)
        return self.joint.join(parts)

    def _claim(
        self, words: Callable[[ClaimCandidate], str], offered: Offer, candidate: ClaimCandidate
    ) -> Claim:
        formal, pddl = self.formal(candidate, offered), QuestionContext.pddl(*candidate.atoms)
        return Claim(words(candidate), pddl, candidate.holds, candidate.proof, candidate.form, formal)


def by_place(turn: OptionTurn) -> dict[str, list[int]]:
    """Return the rules that take the option at one position, by measures; the correct option is first."""
    order = turn.placed(list(range(len(LABELS))))
    return {
        f"option {label}": [int(option == order[place]) for option in range(len(LABELS))]
        for place, label in enumerate(LABELS)
    }


def _measured(rules: Mapping[str, Sequence[int]]) -> tuple[tuple[str, int], ...]:
    """Return the measures of rules for a single claim."""
    return tuple((rule, int(values[0])) for rule, values in rules.items())


def _numbered(parts: Sequence[str]) -> str:
    """Return the parts with numbers: "(1) open the door; (2) go in"."""
    return "; ".join(f"({number}) {text}" for number, text in enumerate(parts, start=1))


def _together(drawn: list[list[Draft] | Rejected]) -> list[Draft] | Rejected:
    """Return the drafts of several draws together, or the reason if there are none."""
    rows = [row for outcome in drawn if not isinstance(outcome, Rejected) for row in outcome]
    return rows or drawn[0]


class Phrasing:
    """Questions of one task on one state, in words and in PDDL, with the same wording."""

    def __init__(
        self, task: Task, context: QuestionContext, rng: random.Random, steps: tuple[Step, ...] = (),
        phrases: Mapping[int, str] | None = None,
    ) -> None:  # fmt: skip
        """Draw the wording; the questions mention ``steps``, and ``phrases`` has their words by position."""
        self.task, self.context = task, context
        step_phrases = [(phrases or {}).get(i) or context.action(step) for i, step in enumerate(steps)]
        self._steps, self._steps_pddl = (
            step_phrases[0] if len(step_phrases) == 1 else _numbered(step_phrases),
            context.pddl(*steps),
        )
        self._variant = rng.randrange(WORDINGS)

    def say(self, macro: str, *arguments: str, template: str = "") -> str:
        """Return the text of a macro from the task's template, or from another one."""
        templates = self.context.words.templates
        if not arguments:
            return _macro_text(templates, template or self.task.name, macro, self._variant)
        macros = macros_of(templates, f"questions/{template or self.task.name}")
        return neat(str(getattr(macros, macro)(self._variant, *arguments)))

    def bool_draft(self, claim: Claim, features: str = "", leans: Shifts = ()) -> Draft:
        """Return the question whether a claim holds, with its ``features`` and the measures of rules."""
        question = self.say("question_bool", claim.words, self._steps)
        named = self.say("question_bool", claim.pddl, self._steps_pddl)
        ending = self.say("bool_ending", template=ENDINGS)
        extra = {"claim": self._formal(claim), "form": claim.form}
        proofs = {"claim": [claim.proof]} if claim.proof else {}
        answer = "yes" if claim.holds else "no"
        row = self._row(BOOL, f"{question}\n{ending}", f"{named}\n{ending}", answer, proofs, extra)
        return Draft((row,), answer, shifts=((features, 0),), leans=leans, claim=extra["claim"])

    def mcq_draft(
        self, claims: list[Claim], shifts: Shifts, *, matched: bool = True, leans: Shifts = ()
    ) -> Draft:
        """Return the question which of four claims holds, with the data for keeping it."""
        query, named = self.say("question_mcq", self._steps), self.say("question_mcq", self._steps_pddl)
        ending = self.say("mcq_ending", template=ENDINGS)
        words, pddl = [claim.words for claim in claims], [claim.pddl for claim in claims]
        formal = list(map(self._formal, claims))
        extra = {
            "choices": {"text": words, "label": list(LABELS)},
            "query": query,
            "choices_pddl": pddl,
            "claims": f"[{','.join(formal)}]",
            "forms": [claim.form for claim in claims],
        }
        proofs = {"claims": [claim.proof for claim in claims]} if any(claim.proof for claim in claims) else {}
        right = [claim.holds for claim in claims].index(True)
        texts = _with_options(query, words, ending), _with_options(named, pddl, ending)
        row = self._row(MCQ, *texts, LABELS[right], proofs, extra)
        return Draft((row,), shifts=shifts, leans=leans, matched=matched, claim=formal[right])

    def _formal(self, claim: Claim) -> str:
        return as_json({"kind": self.task.name, **claim.formal})

    def _row(
        self, form: str, question: str, question_pddl: str, answer: str, proofs: Mapping[str, list[str]],
        extra: Mapping[str, Any],
    ) -> Columns:  # fmt: skip
        context = self.context.rendered(self.task.name, answered=True)
        texts = QuestionTexts(context.text, question, question_pddl, self.context.style, context.held_out)
        name, group = self.task.name, self.task.group_of(form)
        return question_columns(self.context.record, name, group, texts, answer, proofs, extra, form)


def _is_told(chosen: Sequence[ClaimCandidate], watched: str) -> bool:
    """Return whether a condition fails in all wrong options, or the watched one in several."""
    failed = Counter(name for option in chosen for name in option.unmet)
    return failed[watched] > 1 or max(failed.values(), default=0) >= OPTIONS - 1


@lru_cache(maxsize=256)
def _macro_text(templates: Path, template: str, macro: str, variant: int) -> str:
    """Return the text of a macro whose only argument is a variant, cached in each process."""
    return neat(str(getattr(macros_of(templates, f"questions/{template}"), macro)(variant)))


def _with_options(query: str, choices: list[str], ending: str) -> str:
    """Return the whole question: each option on a line of its own."""
    lines = [f"{label}. {text}" for label, text in zip(LABELS, choices, strict=True)]
    return "\n".join([query, *lines, ending])
