"""Clauses and sentences for the literals of a composed domain, in the words of its mechanics and theme."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from orrery.composition.compose import Composition, LiteralSource
from orrery.composition.mechanic import ActionWords, AttachmentWords, Polarity
from orrery.composition.wordings import worded
from orrery.language.words import ordinal, sentence
from orrery.model import Action, Atom, Literal
from orrery.pddl.write import parse_atom

STATED, IMPLIED, COMMON = "stated", "implied", "common"


class Telling(NamedTuple):
    """A sentence, and the literals that it tells, by composed key, with how it tells them."""

    text: str
    tells: Mapping[str, str]


class SourceWords(NamedTuple):
    """The words of a mechanic, or of an attachment at an action, with further names for them.

    ``owner``: the name of the attachment, if it is one, and the mechanic.
    """

    action: str
    owner: tuple[str, str]
    words: AttachmentWords
    names: Mapping[str, str]


@dataclass(frozen=True)
class Phrases:
    """The phrases of one composition; every choice is drawn from ``rng``."""

    composition: Composition
    rng: random.Random

    @cached_property
    def sources(self) -> dict[str, list[LiteralSource]]:
        """The literals of each action, by its name in the mechanics."""
        sources: dict[str, list[LiteralSource]] = {
            action.name: [] for action in self.composition.plain_domain.actions
        }
        for source in self.composition.sources:
            sources[source.action].append(source)
        return sources

    def action_words(self, action: str) -> ActionWords:
        """Return the words of an action."""
        return self.composition.mechanic_of(action).words.actions[action]

    def one_of(self, wordings: tuple[str, ...], names: Mapping[str, str] | None = None) -> str:
        """Return one of the wordings with the names of the theme, and further names."""
        return worded(self.rng.choice(wordings), {**self.composition.words, **(names or {})})

    def infinitive(self, action: str) -> str:
        """Return the infinitive phrase of an action, without "to"."""
        return worded(self.action_words(action).infinitive, self.composition.words)

    def gerund(self, action: str) -> str:
        """Return the gerund of an action."""
        return worded(self.action_words(action).gerund, self.composition.words)

    def clause(self, literal: Literal, arguments: Mapping[str, str]) -> str:
        """Return a clause for a literal; ``arguments`` are the words for its variables."""
        template, polarity = self.fact_words(literal.atom[0])
        names = {
            variable.lstrip("?"): arguments[argument]
            for variable, argument in zip(template[1:], literal.atom[1:], strict=True)
        }
        return self.one_of(polarity.true if literal.positive else polarity.false, names)

    def fact_words(self, predicate: str) -> tuple[Atom, Polarity]:
        """Return the wordings of a predicate, with the atom whose variables they name."""
        owner = next(one for one in self.composition.mechanics.values() if predicate in one.provides)
        key = next(key for key in owner.words.facts if parse_atom(key)[0] == predicate)
        return parse_atom(key), owner.words.facts[key]

    def imperative(self, action: Action) -> str:
        """Return an imperative that names all parameters of the mechanic's own action."""
        names = {
            variable.lstrip("?"): noun for variable, noun in parameter_nouns(self.composition, action).items()
        }
        return self.one_of(self.action_words(action.name).do, names)

    def implications(self, action: str) -> Iterator[Telling]:
        """Yield one sentence for each bank of implied literals of an action."""
        for group in self._groups_at(action):
            for bank in group.words.implied:
                keys = self._keys(action, group.owner, bank.tells)
                if keys:
                    yield Telling(sentence(self.one_of(bank.say, group.names)), dict.fromkeys(keys, IMPLIED))

    def general(self) -> Iterator[Telling]:
        """Yield the sentences that tell the rules of the world, those of attachments last."""
        for group in self._groups:
            for rule in group.words.general:
                tells: dict[str, str] = {}
                for how in (IMPLIED, STATED):
                    for key in getattr(rule.tells, how):
                        action = group.action or key.split(" ", 1)[0]
                        tells |= dict.fromkeys(self._keys(action, group.owner, (key,)), how)
                yield Telling(sentence(self.one_of(rule.say, group.names)), tells)

    def general_wordings(self) -> Iterator[list[str]]:
        """Yield all wordings of each sentence of ``general``."""
        for group in self._groups:
            names = {**self.composition.words, **group.names}
            for rule in group.words.general:
                yield [sentence(worded(text, names)) for text in rule.say]

    def common(self) -> dict[str, str]:
        """Return the literals that common knowledge gives, with the reason."""
        reasons: dict[str, str] = {}
        for action in self.sources:
            for group in self._groups_at(action):
                for key, reason in group.words.common.items():
                    text = worded(reason, {**self.composition.words, **group.names})
                    reasons |= dict.fromkeys(self._keys(action, group.owner, (key,)), text)
        return reasons

    @cached_property
    def _groups(self) -> list[SourceWords]:
        """The words of all mechanics, and of all attachments at their actions."""
        mechanics = self.composition.mechanics
        groups = [SourceWords("", ("", name), mechanic.words, {}) for name, mechanic in mechanics.items()]
        for attached in self.composition.attached:
            words = mechanics[attached.mechanic].words.attachments[attached.name]
            names = {"action": self.infinitive(attached.action), "doing": self.gerund(attached.action)}
            groups.append(SourceWords(attached.action, (attached.name, attached.mechanic), words, names))
        return groups

    def _groups_at(self, action: str) -> list[SourceWords]:
        """Return the words of an action's mechanic and of the attachments at it."""
        own = "", self.composition.mechanic_of(action).name
        return [group for group in self._groups if group.action == action or group.owner == own]

    def _keys(self, action: str, owner: tuple[str, str], keys: tuple[str, ...]) -> list[str]:
        """Return the composed keys of those literals of an action that stand under these keys of an owner."""
        return [
            source.composed_key
            for source in self.sources[action]
            if (source.attachment, source.mechanic) == owner and source.key in keys
        ]


def parameter_nouns(composition: Composition, action: Action) -> dict[str, str]:
    """Return a definite noun for each parameter of an action: "the dough", "the first item"."""
    labels = composition.mechanic_of(action.name).words.labels.get(action.name, {})
    nouns = {p.name: composition.words.get(p.types[0], p.types[0]) for p in action.parameters}
    totals, numbers = Counter(nouns.values()), Counter[str]()
    words: dict[str, str] = {}
    for parameter, noun in nouns.items():
        numbers[noun] += 1
        label = labels.get(parameter.lstrip("?"))
        if label:
            words[parameter] = worded(label, composition.words)
        elif totals[noun] > 1:
            words[parameter] = f"the {ordinal(numbers[noun])} {noun}"
        else:
            words[parameter] = f"the {noun}"
    return words
