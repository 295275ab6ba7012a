"""Texts that describe a domain: a summary and steps of every action, and descriptions of the whole domain.

The texts use the domain's own words (``words.Words``) with PDDL variables in place of objects; the steps of
an action contain each of its preconditions and effects. The five text conditions are those of Proc2PDDL
(Zhang et al., 2024); the two styles of description are those of Text2World (Hu et al., 2025).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from orrery.language.words import Words, article, environment, listing, sentence
from orrery.model import EQUAL, OBJECT, Action, Atom, Domain, Literal, Predicate, TypedName
from orrery.pddl.write import write_atom, write_domain, write_signature

STEPS = ("before", "during", "after")  # parts of an action, in this order


@dataclass(frozen=True)
class ActionText:
    """The data of an action for the templates: clauses without capital or full stop, sorted."""

    name: str
    signature: str
    phrase: str
    kinds: tuple[str, ...]
    needs: tuple[str, ...]
    makes: tuple[str, ...]
    ends: tuple[str, ...]
    cost: str = ""
    details: bool = False


@dataclass(frozen=True)
class PredicateText:
    """A predicate's signature and meaning."""

    signature: str
    meaning: str


@dataclass(frozen=True)
class DomainDescriber:
    """The texts of one domain."""

    domain: Domain
    words: Words
    title: str

    @cached_property
    def _macros(self) -> Any:
        return environment(self.words.templates).get_template("descriptions/modelling.j2").module

    @cached_property
    def actions(self) -> tuple[ActionText, ...]:
        """The text of each action, in the order of the domain."""
        return tuple(self._action(action) for action in self.domain.actions)

    def _action(self, action: Action) -> ActionText:
        return ActionText(
            name=action.name,
            signature=write_signature(action),
            phrase=self.words.action((action.name, *_names(action.parameters))),
            kinds=tuple(
                f"{p.name} is {' or '.join(map(article, p.types))}"
                for p in action.parameters
                if p.types != (OBJECT,)
            ),
            needs=tuple(map(self._condition, sorted(action.preconditions, key=_order))),
            makes=tuple(map(self.words.fact, sorted(action.add))),
            ends=tuple(map(self.words.fact, sorted(action.delete - action.add))),
            cost=_cost(action.cost),
        )

    def _condition(self, literal: Literal) -> str:
        if literal.atom[0] != EQUAL:
            return self.words.literal(literal)
        _, first, second = literal.atom
        return f"{first} is {'the same as' if literal.positive else 'different from'} {second}"

    def summaries(self) -> dict[str, str]:
        """Return one line for each action: its name and a summary."""
        return {a.name: str(self._macros.summary(a)).strip() for a in self.actions}

    def steps(self) -> dict[str, tuple[str, ...]]:
        """Return the steps of each action: before, during and after it."""
        makers = [getattr(self._macros, f"step_{part}") for part in STEPS]
        return {a.name: tuple(sentence(str(make(a))) for make in makers) for a in self.actions}

    def texts(self) -> dict[str, str]:
        """Return the five text conditions; the steps in ``map``, ``rel`` and ``all`` have common numbers."""
        steps = self.steps()
        opening = [part for part in (self.words.intro(), *self._declared()) if part]
        numbered, mapped, number = list(opening), list[str](), len(opening)
        for name, texts_of_step in steps.items():
            mapped.append(
                f"{name}: " + " ".join(f"({number + i}) {text}" for i, text in enumerate(texts_of_step, 1))
            )
            numbered += texts_of_step
            number += len(texts_of_step)
        lines = [f"({i}) {text}" for i, text in enumerate(numbered, 1)]
        return {
            "none": "",
            "sum": "\n".join(self.summaries().values()),
            "map": "\n".join(mapped),
            "rel": "\n".join(lines[len(opening) :]),
            "all": "\n".join(lines),
        }

    def _declared(self) -> Iterable[str]:
        """Return sentences on types and constants, which the steps of the actions omit."""
        if self.domain.types:
            opening = "there are these kinds" if len(self.domain.types) > 1 else "there is one kind"
            yield sentence(f"{opening} of things: " + listing(_types(self.domain)))
        if self.domain.constants:
            yield sentence("always there: " + listing(map(_constant, self.domain.constants)))

    def abstract(self) -> str:
        """Return the rules of the domain as a whole, and the signatures of types, predicates and actions.

        The conditions and effects of each action follow from the rules and are not stated with the action.
        """
        return self._whole(self.words.intro(), self.actions)

    def concrete(self) -> str:
        """Return the abstract description together with every precondition, effect and constraint."""
        return self._whole(self.words.intro(), [replace(action, details=True) for action in self.actions])

    def _whole(self, general: str, actions: Sequence[ActionText]) -> str:
        predicates = [self._predicate(predicate) for predicate in self.domain.predicates]
        constants = list(map(_constant, self.domain.constants))
        types = _types(self.domain)
        return str(self._macros.abstract(self.title, general, types, constants, predicates, actions)).strip()

    def _predicate(self, predicate: Predicate) -> PredicateText:
        fact = (predicate.name, *_names(predicate.parameters))
        return PredicateText(write_signature(predicate), self.words.fact(fact))


def header(domain: Domain) -> str:
    """Return the domain in PDDL without the bodies of its actions."""
    return write_domain(replace(domain, actions=()))


def _order(literal: Literal) -> tuple[bool, Literal]:
    """Return a sort key that puts negative literals last.

    After "it is not the case that", a positive literal would seem to be negated, too.
    """
    return not literal.positive, literal


def _names(parameters: Iterable[TypedName]) -> list[str]:
    return [parameter.name for parameter in parameters]


def _types(domain: Domain) -> list[str]:
    """Return each type with its supertypes: "car", "truck (a vehicle)"."""
    return [
        typed.name if typed.types == (OBJECT,) else f"{typed.name} ({' or '.join(map(article, typed.types))})"
        for typed in domain.types
    ]


def _constant(typed: TypedName) -> str:
    return (
        typed.name if typed.types == (OBJECT,) else f"{typed.name}, {' or '.join(map(article, typed.types))}"
    )


def _cost(cost: int | Atom | None) -> str:
    return "" if cost is None else write_atom(cost) if isinstance(cost, tuple) else str(cost)
