"""Words of a renamed domain: one clause for each fact, and rules that describe the actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from jinja2.runtime import Macro

from orrery.language.sandbox import choose
from orrery.language.words import WORDINGS_TRIED, Words, article, macro_name, macros_of, tidy
from orrery.model import EQUAL, OBJECT, Action, Atom, Domain, Literal, TypedName

THING = "thing"
SENTENCES = "vocabularies/sentences"  # the template


class Rule(NamedTuple):
    """An action in words for the template: its word, letters, their kinds, conditions and effects."""

    word: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    needs: tuple[str, ...]
    makes: tuple[str, ...]
    ends: tuple[str, ...]


class ClauseMacro(NamedTuple):
    """A substitute for a macro: the wordings of one symbol, with ``{0}``, ``{1}`` ... for its arguments."""

    arguments: tuple[str, ...]
    wordings: tuple[str, ...]

    def __call__(self, *arguments: Any) -> str:
        """Return the clause in the wording of the last argument, modulo the number of wordings."""
        wording: str = self.wordings[arguments[-1] % len(self.wordings)]
        return wording.format(*arguments)


class PassageMacro(NamedTuple):
    """A substitute for a macro of whole sentences: ``intro`` or ``objects``."""

    arguments: tuple[str, ...]
    say: Callable[..., str]

    def __call__(self, *arguments: Any) -> str:
        """Return the sentences in the wording of the last argument."""
        return self.say(*arguments)


@dataclass(frozen=True)
class ObfuscatedWords(Words):
    """The words of a renamed domain: the interface of ``Words``, with all words derived from the domain."""

    renamed: Domain

    def __reduce__(self) -> tuple[type[Words], tuple[Any, ...]]:
        """Pickle the words without the compiled template, which cannot be pickled."""
        return type(self), (self.domain, self.templates, self.renamed)

    @property
    def path(self) -> Path:
        """The template file of the sentences."""
        return self.templates / f"{SENTENCES}.j2"

    @cached_property
    def macros(self) -> Mapping[str, Macro]:
        """Substitutes for the macros of a template: a clause for each symbol, ``intro`` and ``objects``."""
        sentences = macros_of(self.templates, SENTENCES)
        macros: dict[str, Any] = {
            "intro": PassageMacro(("variant",), lambda variant: choose(self._rules, variant)),
            "objects": PassageMacro(
                ("names", "variant"),
                lambda names, variant: str(sentences.objects(self._kinds(names), variant)),
            ),
        }
        for predicate in self.renamed.predicates:
            say = partial(sentences.fact, predicate.name)
            macros[macro_name("fact", predicate.name)] = _clause(predicate.parameters, say)
        for action in self.renamed.actions:
            say = partial(sentences.action, action.name)
            macros[macro_name("action", action.name)] = _clause(action.parameters, say)
        return cast(Mapping[str, Macro], MappingProxyType(macros))

    @cached_property
    def macros_of_all(self) -> Mapping[str, Macro]:
        """The substitutes for the macros with all wordings at once."""
        return self.macros

    def _kinds(self, names: Mapping[str, Sequence[str]]) -> list[tuple[str, Sequence[str]]]:
        """Return the nouns of types with their objects; static predicates are stated as facts instead.

        Where a type is listed together with its subtypes, its objects are "others" of the type: objects of
        the subtypes also have the type.
        """
        nouns = [(typed.name, typed.name) for typed in self.renamed.types] + [(OBJECT, THING)]
        ancestors, kinds = self.renamed.ancestors, [kind for kind in names if names[kind]]
        above = {upper for kind in kinds for upper in ancestors.get(kind, ()) if upper != kind}
        nouns_of_kinds = [(noun, kind) for kind, noun in nouns if kind in kinds]
        names_of_nouns = [
            (f"other {noun}" if kind in above else noun, names[kind]) for noun, kind in nouns_of_kinds
        ]
        return names_of_nouns or [(THING, ())]

    @cached_property
    def _rules(self) -> tuple[str, ...]:
        """The wordings of all rules: the hierarchy of kinds, and the conditions and effects of actions."""
        actions = self.renamed.actions
        kinds = [(t.name, upper) for t in self.renamed.types for upper in t.types if upper != OBJECT]
        adds_and_deletes = any(
            {a[0] for a in action.add} & {a[0] for a in action.delete} for action in actions
        )
        rules = [self._rule(action) for action in actions]
        return _wordings(partial(macros_of(self.templates, SENTENCES).intro, kinds, rules, adds_and_deletes))

    def _rule(self, action: Action) -> Rule:
        return Rule(
            action.name,
            tuple(_letter(parameter.name) for parameter in action.parameters),
            tuple(_kind(parameter) for parameter in action.parameters if OBJECT not in parameter.types),
            # Negative literals come last: "it is not the case that" would seem to cover those after it.
            tuple(
                self._condition(c) for c in sorted(action.preconditions, key=lambda c: (not c.positive, c))
            ),
            tuple(self._effect(atom) for atom in sorted(action.add)),
            tuple(self._effect(atom) for atom in sorted(action.delete - action.add)),
        )

    def _condition(self, literal: Literal) -> str:
        condition = Literal(tuple(map(_letter, literal.atom)), literal.positive)
        if condition.atom[0] == EQUAL:
            same = "the same" if condition.positive else "not the same"
            return f"{condition.atom[1]} is {same} as {condition.atom[2]}"
        return self.literal(condition)

    def _effect(self, atom: Atom) -> str:
        return self.fact(tuple(map(_letter, atom)))


def _letter(name: str) -> str:
    """Return a variable as a letter for the rules, "X" for ?x; other names stay."""
    return name[1:].upper() if name.startswith("?") else name


def _kind(parameter: TypedName) -> str:
    return f"{_letter(parameter.name)} is {' or '.join(map(article, parameter.types))}"


def _clause(parameters: Sequence[TypedName], say: Callable[[list[str], int], object]) -> ClauseMacro:
    """Return all wordings of a symbol; ``say`` returns one for the names of its arguments."""
    names = [f"{{{place}}}" for place in range(len(parameters))]
    return ClauseMacro((*names, "variant"), _wordings(partial(say, names)))


def _wordings(say: Callable[[int], object]) -> tuple[str, ...]:
    """Return the results of ``say`` for all variants, without duplicates."""
    return tuple(dict.fromkeys(tidy(str(say(variant))) for variant in range(WORDINGS_TRIED)))
