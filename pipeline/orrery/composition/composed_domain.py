"""A composition as a domain of the catalog: its description, its words, and a generator of problems."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from orrery.composition.compose import Composition, NotComposed
from orrery.composition.phrases import Phrases
from orrery.composition.wordings import worded
from orrery.config import Description, Shares
from orrery.language.words import Words, article, environment, macro_name
from orrery.model import (
    OBJECT,
    Action,
    Atom,
    ConfigurationPair,
    Domain,
    Generated,
    Limits,
    ParameterError,
    Parameters,
    Predicate,
    Problem,
    TypedName,
)

TEMPLATE = "articles/words.j2.j2"
SOURCE = "composed by Orrery from mechanics and a theme"
DIFFICULTIES = {
    "easy": {"further_objects": (0, 0), "steps": (3, 8), "states": (4_000, 4_000)},
    "medium": {"further_objects": (0, 1), "steps": (6, 14), "states": (12_000, 12_000)},
    "hard": {"further_objects": (0, 1), "steps": (12, 30), "states": (40_000, 40_000)},
}
ROLES = ("You are the {}.", "You work as the {}.", "Here you are the {}.", "Your part is that of the {}.")
SUBTYPES = ("Every {} is {}.", "Each {} is also {}.", "Any {} counts as {}.")
_PLACE = re.compile(r"\x00(\d+)\x00")  # stands for an argument in a wording


@dataclass(frozen=True)
class ComposedDomain:
    """The domain of a composition; ``templates`` is the folder of all templates."""

    composition: Composition
    templates: Path

    @property
    def domain(self) -> Domain:
        """The domain in the names of the theme."""
        return self.composition.domain

    @cached_property
    def description(self) -> Description:
        """The description that ``domain.yaml`` has for other domains. All problems are in one split."""
        shares = {"train": 0.0, "validation": 0.0, "test": 0.0} | {self.composition.split: 1.0}
        return Description(
            title=f"{self.composition.theme.content.title} ({self.composition.name})",
            source=SOURCE,
            split=Shares(**shares),
            difficulties=DIFFICULTIES,
        )

    @cached_property
    def generator(self) -> ComposedGenerator:
        """A generator as in the folder ``generators``."""
        return ComposedGenerator(self.composition)

    @cached_property
    def words(self) -> Words:
        """The words, from a template that is written from the words of the mechanics and the theme."""
        return Words(
            self.composition.name,
            self.templates,
            source=_WordsWriter(self.composition).text(self.templates),
        )


class ComposedGenerator:
    """Draws problems of a composition: an instance, and a goal whose shortest plan is about as long as asked.

    ``further_objects`` is 0 for as few objects as the mechanics allow, 1 for random numbers. ``states``
    limits the reachable states, if the mechanics allow.
    """

    TASKS = (ConfigurationPair("random", "random", tied=True, strict=True),)
    WIDEST: ClassVar[Limits] = {"further_objects": (0, 1), "steps": (3, 100), "states": (100, 40_000)}

    def __init__(self, composition: Composition) -> None:
        """Draw problems of ``composition``."""
        self.composition = composition

    def draw(self, task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
        """Draw the parameters uniformly within the limits."""
        return {name: rng.randint(*limits.get(name, widest)) for name, widest in self.WIDEST.items()}

    def build(self, task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
        """Return a problem of these parameters.

        Raises:
            ParameterError: no instance that is drawn has a goal.
        """
        from orrery.composition.problems import draw_problem  # needs numpy, which grading does without

        smallest = not parameters["further_objects"]
        try:
            sizes = {name: parameters[name] for name in ("steps", "states")}
            problem = draw_problem(self.composition, rng, smallest=smallest, **sizes)
        except NotComposed as none:
            raise ParameterError(self.composition.name, str(none)) from none
        return Generated(replace(problem, name=task.name), task, parameters, {})

    def close_goal(self, problem: Problem) -> frozenset[Atom] | None:
        """Return the fluent facts of all reachable goal states; None above a limit of states."""
        from orrery.composition.problems import goal_closure  # needs numpy

        return goal_closure(self.composition.domain, problem)


@dataclass(frozen=True)
class _WordsWriter:
    """Writes the template with the words of a composition, as in ``templates/domains``."""

    composition: Composition

    @cached_property
    def _phrases(self) -> Phrases:
        return Phrases(self.composition, random.Random(0))  # chooses nothing

    def text(self, templates: Path) -> str:
        """Return the text of the template."""
        return environment(templates).get_template(TEMPLATE).render(
            rules=[list(map(json.dumps, wordings)) for wordings in self._rules()],
            types=[(json.dumps(name), json.dumps(noun)) for name, noun in self._type_nouns().items()],
            type_nouns=[
                (macro_name("type", name), json.dumps(noun))
                for name, noun in self._type_nouns().items()
                if name != noun
            ],
            phrases=[*self._facts(), *self._actions()],
        )  # fmt: skip

    def _type_nouns(self) -> dict[str, str]:
        """Return the noun of each type, by its name in PDDL."""
        plain = self.composition.plain_domain.types
        return {self.composition.pddl_names[kind.name]: self._noun(kind) for kind in plain}

    def _noun(self, typed: TypedName) -> str:
        return self.composition.words[typed.name]

    def _rules(self) -> Iterator[Sequence[str]]:
        """Yield the wordings of each sentence on the world: who acts, what is of which kind, the rules."""
        yield [role.format(self.composition.theme.content.agent) for role in ROLES]
        for kind in self.composition.plain_domain.types:
            for above in kind.types:
                if above != OBJECT:
                    upper = article(self.composition.words[above])
                    yield [wording.format(self._noun(kind), upper) for wording in SUBTYPES]
        yield from self._phrases.general_wordings()

    def _facts(self) -> Iterator[tuple[str, list[str], list[str]]]:
        """Yield name, arguments and wordings of the macro of each predicate, without ambiguous wordings."""
        taken: dict[str, str] = {}
        for predicate in self.composition.plain_domain.predicates:
            template, polarity = self._phrases.fact_words(predicate.name)
            names = self._arguments(template[1:], predicate.parameters)
            wordings = self._unambiguous(predicate.name, polarity.true, names, taken)
            yield self._macro("fact", predicate, wordings)

    def _actions(self) -> Iterator[tuple[str, list[str], list[str]]]:
        """Yield name, arguments and wordings of the macro of each action."""
        taken: dict[str, str] = {}
        for action in self.composition.plain_domain.actions:
            variables = [parameter.name for parameter in action.parameters]
            names = self._arguments(variables, action.parameters)
            own = self.composition.mechanic_of(action.name).fragment.action_named[action.name].parameters
            further = [
                names[variable.lstrip("?")] for variable in variables if variable not in {p.name for p in own}
            ]
            ending = f", with {' and '.join(further)}" if further else ""
            do = [f"{wording}{ending}" for wording in self._phrases.action_words(action.name).do]
            yield self._macro("action", action, self._unambiguous(action.name, do, names, taken))

    def _arguments(self, variables: Iterable[str], parameters: Sequence[TypedName]) -> dict[str, str]:
        """Return for each variable, without "?", the noun of its type and a mark for the argument."""
        return {
            variable.lstrip("?"): f"{self.composition.words[parameter.types[0]]} \x00{number}\x00"
            for number, (variable, parameter) in enumerate(zip(variables, parameters, strict=True))
        }

    def _unambiguous(
        self, symbol: str, wordings: Iterable[str], names: Mapping[str, str], taken: dict[str, str]
    ) -> list[str]:
        """Return the wordings as expressions, without those that another symbol has; ``taken`` grows."""
        kept = []
        for wording in wordings:
            text = worded(wording, {**self.composition.words, **names})
            order = tuple(_PLACE.findall(text))
            owner = f"{symbol} {order}"
            if taken.setdefault(_PLACE.sub("\x00", text), owner) == owner:
                pieces = _PLACE.split(text)
                parts = [
                    json.dumps(piece) if place % 2 == 0 else f"x{piece}" for place, piece in enumerate(pieces)
                ]
                kept.append(" ~ ".join(part for part in parts if part != '""'))
        return kept

    def _macro(
        self, kind: str, symbol: Predicate | Action, wordings: list[str]
    ) -> tuple[str, list[str], list[str]]:
        name = self.composition.pddl_names[symbol.name]
        return macro_name(kind, name), [f"x{n}" for n in range(len(symbol.parameters))], wordings
