"""Texts of a composed domain: descriptions, and procedures like how-to articles, and where literals are told.

A literal is told ``stated`` (in a clause of its own), ``implied`` (by a sentence whose everyday meaning
entails it) or ``common`` (left out, as common knowledge gives it). A procedure has one of three levels.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from orrery.composition.compose import Composition, LiteralSource
from orrery.composition.mechanic import EFFECT, PRECONDITION, literal_key
from orrery.composition.phrases import COMMON, STATED, Phrases, Telling, parameter_nouns
from orrery.language.words import article, capitalised, environment, sentence
from orrery.model import OBJECT, Action, Literal, Predicate, Step, TypedName
from orrery.pddl.write import write_signature
from orrery.yaml_text import read_yaml

LEVELS = ("explicit", "everyday", "sparse")
STYLES = ("steps", "letter", "manual", "checklist", "interview", "handbook", "forum")
FEWEST_STEPS, MOST_STEPS = 6, 20
APART = 0.25  # share of the stated conditions that stand apart from the step that needs them
IMPLIED_SHARE = {"explicit": 0.0, "everyday": 0.75, "sparse": 1.0}
COMMON_SHARE = {"explicit": 0.0, "everyday": 0.9, "sparse": 1.0}
JOINED = {"explicit": 0.3, "everyday": 0.5, "sparse": 0.8}  # share of stated literals that share a sentence
REMARKS = (1, 3)
LONGEST_STEP = 4  # sentences


class Told(NamedTuple):
    """How and where a text tells a literal: its key, the way, and the numbers of steps or sentences."""

    literal: str
    how: str
    places: tuple[int, ...]


@dataclass
class _ProcedureStep:
    """A step of a procedure: its sentences, and the actions that it tells of."""

    sentences: list[Telling] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(telling.text for telling in self.sentences)


@dataclass(frozen=True)
class Procedure:
    """A procedure: the text conditions of Proc2PDDL, and how each literal is told in which steps."""

    style: str
    texts: Mapping[str, str]
    told: tuple[Told, ...]


@dataclass(frozen=True)
class DomainDescription:
    """A description with and without conditions and effects, and how its general part tells them."""

    abstract: str
    concrete: str
    told: tuple[Told, ...]


@cache
def _frames(path: Path) -> Mapping[str, Sequence[str]]:
    frames: Mapping[str, Sequence[str]] = read_yaml(path)
    return frames


@dataclass(frozen=True)
class TextWriter:
    """Writes the texts of a composition; ``root`` is the folder with ``templates``."""

    root: Path
    composition: Composition
    rng: random.Random

    @cached_property
    def _phrases(self) -> Phrases:
        return Phrases(self.composition, self.rng)

    def procedure(self, level: str, plan: Sequence[Step]) -> Procedure:
        """Return a procedure that tells the actions in the order of their first use in a plan."""
        common = self._phrases.common()
        told_by: dict[str, str] = {key: COMMON for key in common if self.rng.random() < COMMON_SHARE[level]}
        apart: list[tuple[str, Telling]] = []
        steps = [self._action_step(action, level, told_by, apart) for action in self._in_order(plan)]
        before, after = self._apart_steps(apart)
        return self._formatted(_divided([*before, *steps, *after]), told_by)

    def _in_order(self, plan: Sequence[Step]) -> list[Action]:
        """Return all actions, those of the plan first, in the order of their first use."""
        domain = self.composition.plain_domain
        names = dict.fromkeys([*(step[0] for step in plan), *domain.action_named])
        return [domain.action_named[name] for name in names]

    def _action_step(
        self, action: Action, level: str, told_by: Mapping[str, str], apart: list[tuple[str, Telling]]
    ) -> _ProcedureStep:
        """Return the step that tells an action; what stands apart is added to ``apart``."""
        implied = [
            telling
            for telling in self._phrases.implications(action.name)
            if not told_by.keys() & telling.tells and self.rng.random() < IMPLIED_SHARE[level]
        ]
        done = {*told_by, *(key for telling in implied for key in telling.tells)}
        open_sources = [one for one in self._phrases.sources[action.name] if one.composed_key not in done]
        conditions = [one for one in open_sources if one.part == PRECONDITION]
        effects = [one for one in open_sources if one.part == EFFECT]
        elsewhere = [one for one in conditions if self.rng.random() < APART]
        apart += [(action.name, self._tell_separately(action, one)) for one in elsewhere]
        before = self._stated("condition", action, [one for one in conditions if one not in elsewhere], level)
        after = self._stated("result", action, effects, level)
        doing = Telling(sentence(self._phrases.imperative(action)), {})
        conditions_implied = [one for one in implied if _is_about(one, PRECONDITION)]
        results_implied = [one for one in implied if not _is_about(one, PRECONDITION)]
        return _ProcedureStep([*before, doing, *conditions_implied, *results_implied, *after], [action.name])

    def _stated(
        self, frame: str, action: Action, sources: Sequence[LiteralSource], level: str
    ) -> list[Telling]:
        """Return sentences that state literals, some two at a time."""
        tellings, remaining = list[Telling](), list(sources)
        nouns = parameter_nouns(self.composition, action)
        while remaining:
            size = 2 if len(remaining) > 1 and self.rng.random() < JOINED[level] else 1
            part, remaining = remaining[:size], remaining[size:]
            clauses = [self._phrases.clause(one.literal, nouns) for one in part]
            joint = self.rng.choice(self._frames["join"])
            text = self.rng.choice(self._frames[frame]).format(clause=joint.join(clauses))
            tellings.append(Telling(sentence(text), {one.composed_key: STATED for one in part}))
        return tellings

    def _tell_separately(self, action: Action, source: LiteralSource) -> Telling:
        clause = self._phrases.clause(source.literal, parameter_nouns(self.composition, action))
        gerund = self._phrases.gerund(action.name)
        text = self.rng.choice(self._frames["apart"]).format(
            clause=clause,
            infinitive=self._phrases.infinitive(action.name),
            gerund=gerund,
            Gerund=capitalised(gerund),
        )
        return Telling(sentence(text), {source.composed_key: STATED})

    @property
    def _frames(self) -> Mapping[str, Sequence[str]]:
        return _frames(self.root / "templates" / "articles" / "frames.yaml")

    def _apart_steps(
        self, apart: Sequence[tuple[str, Telling]]
    ) -> tuple[list[_ProcedureStep], list[_ProcedureStep]]:
        """Return steps before and after all others with the conditions that stand apart."""
        early = [self.rng.random() < 0.5 for _ in apart]
        groups = (
            [one for one, is_early in zip(apart, early, strict=True) if is_early is wanted]
            for wanted in (True, False)
        )
        before, after = (
            [
                _ProcedureStep(
                    [telling for _, telling in part], list(dict.fromkeys(name for name, _ in part))
                )
                for part in (group[at : at + LONGEST_STEP] for at in range(0, len(group), LONGEST_STEP))
            ]
            for group in groups
        )
        return before, after

    def _formatted(self, steps: Sequence[_ProcedureStep], told_by: Mapping[str, str]) -> Procedure:
        content = self.composition.theme.content
        style = self.rng.choice(STYLES)
        numbered = list(enumerate((step.text for step in steps), 1))
        remarks = self.rng.sample(content.remarks, self.rng.randint(*REMARKS))
        macros = environment(self.root / "templates").get_template("articles/styles.j2").module
        article_text = getattr(macros, style)(
            self.rng.choice(content.titles), self.rng.choice(content.openings), numbered, remarks
        )
        names = self.composition.pddl_names
        steps_of = {
            action.name: [n for n, step in enumerate(steps, 1) if action.name in step.actions]
            for action in self.composition.plain_domain.actions
        }
        texts = {
            "none": "",
            "sum": "\n".join(
                f"{names[name]}: {self._phrases.one_of(self._phrases.action_words(name).summary)}"
                for name in steps_of
            ),
            "map": "\n".join(
                f"{names[name]}: " + " ".join(f"({n}) {steps[n - 1].text}" for n in numbers)
                for name, numbers in steps_of.items()
            ),
            "rel": "\n".join(f"({number}) {text}" for number, text in numbered),
            "all": str(article_text).strip(),
        }
        return Procedure(
            style,
            texts,
            self._place_literals([(n, t) for n, s in enumerate(steps, 1) for t in s.sentences], told_by),
        )

    def _place_literals(
        self, tellings: Iterable[tuple[int, Telling]], told_by: Mapping[str, str]
    ) -> tuple[Told, ...]:
        """Return how and where each literal of the domain is told; stated counts before implied."""
        places: dict[str, dict[str, list[int]]] = {}
        for number, telling in tellings:
            for key, how in telling.tells.items():
                places.setdefault(key, {}).setdefault(how, []).append(number)
        told = []
        for source in self.composition.sources:
            key = source.composed_key
            by_how = places.get(key) or {told_by[key]: []}
            how = STATED if STATED in by_how else next(iter(by_how))
            told.append(Told(self.literal_name(source), how, tuple(dict.fromkeys(by_how[how]))))
        return tuple(told)

    def literal_name(self, source: LiteralSource) -> str:
        """Return the key of a literal in the names of the theme."""
        [literal] = self.composition.tables.literals([source.literal])
        return literal_key(self.composition.pddl_names[source.action], source.part, literal)

    def description(self) -> DomainDescription:
        """Return the descriptions; the general part tells every literal that is not common knowledge."""
        tellings = list(enumerate(self._phrases.general(), 1))
        general = " ".join(telling.text for _, telling in tellings)
        opening = [f"# {self.composition.theme.content.title}", "## General\n" + general]
        sections = {details: [*opening, *self._sections(details)] for details in (False, True)}
        return DomainDescription(
            "\n\n".join(sections[False]),
            "\n\n".join(sections[True]),
            self._place_literals(tellings, dict.fromkeys(self._phrases.common(), COMMON)),
        )

    def _sections(self, details: bool) -> list[str]:
        """Return the sections on types, predicates and actions."""
        themed, plain = self.composition.domain, self.composition.plain_domain
        types = [
            typed.name if typed.types == (OBJECT,) else f"{typed.name} ({article(typed.types[0])})"
            for typed in themed.types
        ]
        predicates = [
            f"{write_signature(named)}: {self._meaning(predicate)}."
            for named, predicate in zip(themed.predicates, plain.predicates, strict=True)
        ]
        actions = [
            f"{write_signature(named)}: "
            f"{self._phrases.one_of(self._phrases.action_words(action.name).purpose)}."
            + (self._details(action) if details else "")
            for named, action in zip(themed.actions, plain.actions, strict=True)
        ]
        sections = {"Types": types, "Predicates": predicates, "Actions": actions}
        return [
            f"## {title}\n" + "\n".join(f"- {line}" for line in lines) for title, lines in sections.items()
        ]

    def _meaning(self, predicate: Predicate) -> str:
        fact = Literal((predicate.name, *(parameter.name for parameter in predicate.parameters)))
        return self._phrases.clause(fact, _as_themselves(predicate.parameters))

    def _details(self, action: Action) -> str:
        """Return lines with the clauses of all conditions and effects of an action, in PDDL variables."""
        lines = ""
        for opening, part in (("Before", PRECONDITION), ("Afterwards", EFFECT)):
            clauses = [
                self._phrases.clause(source.literal, _as_themselves(action.parameters))
                for source in self._phrases.sources[action.name]
                if source.part == part
            ]
            lines += f"\n  {opening}: {'; '.join(clauses) or 'nothing'}."
        return lines


def _divided(steps: Sequence[_ProcedureStep]) -> list[_ProcedureStep]:
    """Return the steps with long ones in two parts, within the limits for the number of steps."""
    divided = list(steps)
    while len(divided) < MOST_STEPS:
        longest = max(range(len(divided)), key=lambda place: len(divided[place].sentences))
        sentences, actions = divided[longest].sentences, divided[longest].actions
        if len(sentences) <= LONGEST_STEP and (len(divided) >= FEWEST_STEPS or len(sentences) < 2):
            break
        half = (len(sentences) + 1) // 2
        parts = [_ProcedureStep(part, actions) for part in (sentences[:half], sentences[half:])]
        divided[longest : longest + 1] = parts
    return divided


def _is_about(telling: Telling, part: str) -> bool:
    return all(key.split(" ", 2)[1] == part for key in telling.tells)


def _as_themselves(parameters: Iterable[TypedName]) -> dict[str, str]:
    return {parameter.name: parameter.name for parameter in parameters}
