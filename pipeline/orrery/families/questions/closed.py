"""Yes/no questions and choices on a state: claims in words and in PDDL, as rows of the published schema."""

from __future__ import annotations

import importlib
import json
import pkgutil
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Protocol, cast

from orrery.families import questions
from orrery.families.questions import claims_val
from orrery.families.questions.balance import shifts_of
from orrery.families.questions.claims import Claim, ClaimCandidate, Offer, bare, coarse, placed, plain
from orrery.families.questions.context import WORDINGS, QuestionContext, neat, template_of
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.formats import (
    OPTIONS,
    Length,
    Ranks,
    lengths,
    options,
    rules_of_thumb,
    sides_of,
    two_sides,
)
from orrery.families.questions.item import NotAsked, QuestionRow, QuestionTexts
from orrery.model import Step
from orrery.pddl.write import write_atom
from orrery.seeds import stream

YES_NO, CHOICE = "bool", "mcq"
FORMATS = (YES_NO, CHOICE)
LABELS = "ABCD"
TURNS = OPTIONS * OPTIONS
GROUPS: Mapping[str, tuple[str, str]] = {
    "app": ("applicable_actions_bool", "applicable_actions_mc"),
    "areach": ("reachable_action_bool", "reachable_action_mc"),
    "just": ("action_justification_bool", "action_justification_mcq"),
    "land": ("landmarks_bool", "landmarks_mcq"),
    "prog": ("progression_bool", "progression_mcq"),
    "reach": ("reachable_atom_bool", "reachable_atom_mc"),
    "val": ("validation_bool", "validation_mcq"),
}
# How the parts of a claim are joined, by kind; one part, several in a row.
ACTIONS = frozenset({"app", "areach", "just"})
JOINED = {"areach": " or ", "just": ", directly followed by "}
# Draws of a state from which the rows are chosen: where true and false claims seldom look alike, several.
DRAWS = {"areach": 3, "just": 8, "land": 6, "prog": 6, "reach": 4}
TOO_FEW = "too few true or false claims"
NO_MATCH = "true and false claims do not look alike"


class Claims(Protocol):
    """What a module of claims that are drawn from candidates offers."""

    CLAIMS: str

    def offer(self, evidence: StateEvidence, rng: random.Random) -> Offer | NotAsked:
        """What can be asked about a state, or why nothing can; another draw may give another offer."""

    def formal(self, candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
        """The JSON of a claim."""


@dataclass(frozen=True)
class Turn:
    """Where a state stands among those of its domain and split: decides what a choice looks like.

    ``place`` is the position of the right option.
    """

    number: int
    place: int
    ranks: Ranks


@dataclass(frozen=True)
class ClaimRow:
    """A row with what must be balanced over all rows (see ``balance.Draft``)."""

    row: QuestionRow
    shifts: tuple[tuple[str, int], ...] = ()
    alike: bool = True


Found = dict[str, list[ClaimRow] | NotAsked]


@lru_cache(maxsize=1)
def claim_kinds() -> dict[str, Claims | None]:
    """The kinds that have yes/no questions and choices, sorted; None for ``val``, made of sequences."""
    names = sorted(module.name for module in pkgutil.iter_modules(questions.__path__))
    modules = [importlib.import_module(f"orrery.families.questions.{name}") for name in names]
    found = {module.CLAIMS: module for module in modules if hasattr(module, "CLAIMS")}
    return {kind: cast(Claims, found[kind]) if hasattr(found[kind], "offer") else None for kind in found}


def turn_of(seed: int, path: tuple[str, ...], number: int) -> Turn:
    """The turn of the state ``number``: in each block of 16 any two of place and ranks meet equally often."""
    block, place = divmod(number, TURNS)
    order = list(range(TURNS))
    stream(seed, "turns", *path, block).shuffle(order)
    place, length = divmod(order[place], OPTIONS)
    return Turn(number, place, Ranks(length, (place + length + block) % OPTIONS))


def make(
    kind: str, evidence: StateEvidence, setting: QuestionContext, turn: Turn, rng: random.Random
) -> Found:
    """The rows of a kind by format: one or both sides of a yes/no question, and a choice."""
    module = claim_kinds()[kind]
    if module is None:
        return _on_sequences(evidence, setting, turn, rng)
    drawn = [_drawn(kind, module, evidence, setting, turn, rng) for _ in range(DRAWS.get(kind, 1))]
    return {form: _together([found[form] for found in drawn]) for form in FORMATS}


def _together(drawn: list[list[ClaimRow] | NotAsked]) -> list[ClaimRow] | NotAsked:
    """All that was made in several draws, or why there is nothing."""
    found = [made for some in drawn if not isinstance(some, NotAsked) for made in some]
    return found or drawn[0]


def _drawn(
    kind: str,
    module: Claims,
    evidence: StateEvidence,
    setting: QuestionContext,
    turn: Turn,
    rng: random.Random,
) -> Found:
    """What one draw makes of a kind."""
    offered = module.offer(evidence, rng)
    if isinstance(offered, NotAsked):
        return {YES_NO: offered, CHOICE: offered}
    told = _Told(kind, setting, rng, offered.steps)
    sides, length = sides_of(offered.candidates), lengths(told.words)
    claim = partial(_claim, module, told, offered)
    located = two_sides(sides_of(list(map(placed, offered.candidates))), length, rng)
    asked = [ClaimRow(told.yes_no(claim(c)), ((repr(c.look), 0),)) for c in located]
    strict = options(sides, turn.ranks, length, rng)
    chosen = strict or _unlike(offered.candidates, turn, length, rng)
    if not asked or not chosen:
        return {YES_NO: asked or NotAsked("nothing to claim"), CHOICE: NotAsked(TOO_FEW)}
    row = told.choice(_placed([claim(candidate) for candidate in chosen], turn))
    look = {candidate.atoms: repr(candidate.look) for candidate in offered.candidates}
    shifts = shifts_of(
        [look[candidate.atoms] for candidate in chosen],
        rules_of_thumb(chosen, length, offered.steps, offered.goal),
    )
    return {YES_NO: asked, CHOICE: [ClaimRow(row, shifts, alike=strict is not None)]}


def _unlike(
    candidates: list[ClaimCandidate], turn: Turn, length: Length, rng: random.Random
) -> list[ClaimCandidate] | None:
    """Options that look alike at a glance only; which of them are kept is balanced over all states."""
    for view in (plain, coarse, bare):
        if chosen := options(sides_of(list(map(view, candidates))), turn.ranks, length, rng):
            return chosen
    return None


def _claim(module: Claims, told: _Told, offered: Offer, candidate: ClaimCandidate) -> Claim:
    words, pddl, formal = told.words(candidate), told.pddl(candidate), module.formal(candidate, offered)
    return Claim(words, pddl, candidate.holds, candidate.proof, candidate.form, formal)


def _placed(claims: list[Claim], turn: Turn) -> list[Claim]:
    """The options with the right one, which comes first, at its place."""
    right, *others = claims
    return [*others[: turn.place], right, *others[turn.place :]]


def _on_sequences(evidence: StateEvidence, setting: QuestionContext, turn: Turn, rng: random.Random) -> Found:
    """Both formats of ``val``: every judgement is the right one in turn."""
    says = claims_val.SAYS[turn.ranks.length]
    wrong = claims_val.NO_PLANS[turn.number % len(claims_val.NO_PLANS)]
    made: Found = {CHOICE: _judged(evidence, setting, says, turn, rng)}
    asked: list[ClaimRow] = []
    for says in ("plan", wrong):
        found = claims_val.sequence(evidence, says, rng)
        if isinstance(found, NotAsked):
            return {**made, YES_NO: found}
        told = _Told("val", setting, rng, found.steps, {found.foreign: found.phrase})
        formal = claims_val.formal(found, "plan")
        asked.append(ClaimRow(told.yes_no(Claim("", "", says == "plan", "", found.form, formal)), (("", 0),)))
    return {**made, YES_NO: asked}


def _judged(
    evidence: StateEvidence, setting: QuestionContext, says: str, turn: Turn, rng: random.Random
) -> list[ClaimRow] | NotAsked:
    found = claims_val.sequence(evidence, says, rng)
    if isinstance(found, NotAsked):
        return found
    told = _Told("val", setting, rng, found.steps, {found.foreign: found.phrase})
    others = [other for other in claims_val.SAYS if other != says]
    rng.shuffle(others)
    claims = [told.judgement(found, each) for each in (says, *others)]
    return [ClaimRow(told.choice(_placed(claims, turn)), shifts_of((says, *others), {}))]


class _Told:
    """Questions of one kind on one state, in words and in PDDL; ``phrases`` words steps by position."""

    def __init__(
        self, kind: str, setting: QuestionContext, rng: random.Random, steps: tuple[Step, ...],
        phrases: Mapping[int, str] | None = None,
    ) -> None:  # fmt: skip
        self.kind, self.setting, self.rng = kind, setting, rng
        self.template: Any = template_of(setting.words.templates, "closed")
        self.about = self._listed(steps, phrases or {})
        self.about_pddl = " ".join(map(write_atom, steps))
        self.variant = rng.randrange(WORDINGS)

    def _listed(self, steps: tuple[Step, ...], phrases: Mapping[int, str]) -> str:
        """The steps in words, numbered where there are several."""
        said = [phrases.get(i) or self.setting.action(step) for i, step in enumerate(steps)]
        return (
            said[0] if len(said) == 1 else "; ".join(f"({i}) {text}" for i, text in enumerate(said, start=1))
        )

    def words(self, candidate: ClaimCandidate) -> str:
        """A claim in words: its actions, or what it states."""
        say: Callable[[Step], str] = self.setting.action if self.kind in ACTIONS else self.setting.fact
        return JOINED.get(self.kind, " and ").join([say(atom) for atom in candidate.atoms])

    def pddl(self, candidate: ClaimCandidate) -> str:
        """A claim in PDDL."""
        return " ".join(map(write_atom, candidate.atoms))

    def judgement(self, found: claims_val.Sequence, says: str) -> Claim:
        """A claim on a sequence."""
        words = neat(str(self.template.val_says(self.variant, says)))
        formal = claims_val.formal(found, says)
        return Claim(words, words, says == found.says, "", found.form if says == found.says else says, formal)

    def yes_no(self, claim: Claim) -> QuestionRow:
        """The row that asks whether a claim holds."""
        question = self._question(YES_NO, claim.words, self.about)
        named = self._question(YES_NO, claim.pddl, self.about_pddl)
        ending = neat(str(self.template.bool_ending(self.variant)))
        texts = QuestionTexts(self.setting.context(self.kind), f"{question}\n{ending}", f"{named}\n{ending}")
        extra = {"claim": _json(claim.formal), "form": claim.form}
        proofs = {"claim": [claim.proof]} if claim.proof else {}
        return self._row(0, texts, "yes" if claim.holds else "no", proofs, extra)

    def choice(self, claims: list[Claim]) -> QuestionRow:
        """The row that asks which of four claims holds."""
        query, named = self._question(CHOICE, self.about), self._question(CHOICE, self.about_pddl)
        ending = neat(str(self.template.mcq_ending(self.variant)))
        words, pddl = [claim.words for claim in claims], [claim.pddl for claim in claims]
        texts = QuestionTexts(
            self.setting.context(self.kind), _laid_out(query, words, ending), _laid_out(named, pddl, ending)
        )
        extra = {
            "choices": {"text": words, "label": list(LABELS)},
            "query": query,
            "choices_pddl": pddl,
            "claims": _json([claim.formal for claim in claims]),
            "forms": [claim.form for claim in claims],
        }
        proofs = {"claims": [claim.proof for claim in claims]} if any(claim.proof for claim in claims) else {}
        answer = LABELS[[claim.holds for claim in claims].index(True)]
        return self._row(1, texts, answer, proofs, extra)

    def _question(self, form: str, *arguments: str) -> str:
        return neat(str(getattr(self.template, f"{self.kind}_{form}")(self.variant, *arguments)))

    def _row(
        self,
        number: int,
        texts: QuestionTexts,
        answer: str,
        proofs: Mapping[str, list[str]],
        extra: Mapping[str, Any],
    ) -> QuestionRow:
        group = GROUPS[self.kind][number]
        return QuestionRow(self.setting.item, self.kind, group, texts, answer, proofs, extra, FORMATS[number])


def _laid_out(query: str, choices: list[str], ending: str) -> str:
    """The whole question: each option on a line of its own."""
    lines = [f"{label}. {text}" for label, text in zip(LABELS, choices, strict=True)]
    return "\n".join([query, *lines, ending])


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
