"""Rename a domain, and each of its problems, with the words of a vocabulary.

The new words are all different, and none is similar to a word of the domain. Sentences with them come from
the template of all vocabularies.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, cast

from jinja2.runtime import Macro

from orrery.language.sandbox import choose
from orrery.language.words import WORDINGS_TRIED, Words, article, macro_name, macros_of, natural, tidy
from orrery.model import (
    EQUAL,
    OBJECT,
    Action,
    Atom,
    Domain,
    Literal,
    OrreryError,
    Predicate,
    Problem,
    TypedName,
    UsageError,
    suggest,
)
from orrery.pddl.renaming import Tables
from orrery.pddl.write import parse_atom, write_atom
from orrery.seeds import stream

THING = "thing"
SENTENCES = "vocabularies/sentences"  # the template
NAMES = ("meaningless", "misleading")
TOTAL_COST = "total-cost"  # a keyword of PDDL: it keeps its name
KEPT = 64
LETTERS = "xyzuvwpqrstbcdefghjklmno"  # for variables; "a" and "i" are English words
FOLDER = "vocabularies"
DRAWS = 1000
# Keywords of PDDL, and words that the sentences use.
# fmt: off
RESERVED = frozenset({
    "action", "all", "and", "assign", "constants", "decrease", "define", "domain", "effect",
    "either", "every", "exists", "forall", "functions", "goal", "imply", "increase", "init",
    "maximize", "metric", "minimize", "not", "number", "object", "objects", "one", "or",
    "parameters", "precondition", "predicates", "problem", "requirements", "thing", "things",
    "types", "what", "when", "world",
})
# fmt: on


class Rule(NamedTuple):
    """An action in words for the template: its word, letters, their kinds, conditions and effects."""

    word: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    needs: tuple[str, ...]
    makes: tuple[str, ...]
    ends: tuple[str, ...]


class SubstituteMacro(NamedTuple):
    """A substitute for a macro of a template: the names of its arguments, and the function of its text."""

    arguments: tuple[str, ...]
    say: Callable[..., str]

    def __call__(self, *arguments: Any) -> str:
        """Return the text in the wording of the last argument."""
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
            "intro": SubstituteMacro(("variant",), lambda variant: choose(self._rules, variant)),
            "objects": SubstituteMacro(
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
        return cast(Mapping[str, Macro], macros)

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


def _clause(parameters: Sequence[TypedName], say: Callable[[list[str], int], object]) -> SubstituteMacro:
    """Return the clauses of a symbol, whose wordings repeat; ``say`` returns one for names of arguments."""
    names = [f"{{{place}}}" for place in range(len(parameters))]
    wordings = _wordings(partial(say, names))
    return SubstituteMacro(
        (*names, "variant"), lambda *values: wordings[values[-1] % len(wordings)].format(*values)
    )


def _wordings(say: Callable[[int], object]) -> tuple[str, ...]:
    """Return the results of ``say`` for all variants, without duplicates."""
    return tuple(dict.fromkeys(tidy(str(say(variant))) for variant in range(WORDINGS_TRIED)))


@dataclass(frozen=True)
class Vocabulary:
    """A renamed domain: the original (``plain``), the renamed ``domain``, and the words for its texts."""

    name: str
    seed: int
    plain: Domain
    domain: Domain
    words: ObfuscatedWords
    tables: Tables

    def of(self, problem: Problem) -> RenamedProblem:
        """Return the vocabulary for one problem: its objects are named o1, o2 ...

        in an order drawn for the problem.

        The order depends on the seed, the vocabulary, the domain and the content of the problem, not on its
        name.
        """
        constants = self.tables.objects
        names = sorted(typed.name for typed in problem.objects if typed.name not in constants)
        facts = [" ".join(atom) for atom in sorted(problem.init)]
        facts += [f"{positive} {' '.join(atom)}" for atom, positive in sorted(problem.goal)]
        path = (self.name, self.plain.name, " ".join(names), "\n".join(facts))
        chance = stream(self.seed, "vocabulary", "objects", *path).random
        names.sort(key=lambda _: chance())
        fresh = {name: f"o{number}" for number, name in enumerate(names, 1)}
        return RenamedProblem(self, self.tables._replace(objects={**constants, **fresh}))


@dataclass(frozen=True)
class RenamedProblem:
    """A vocabulary for one problem; its ``tables`` also rename the objects."""

    vocabulary: Vocabulary
    tables: Tables

    def plan(self, lines: Iterable[str]) -> list[str]:
        """Return steps as ``(action object ...)`` with the names of the vocabulary."""
        return [write_atom(self.tables.step(parse_atom(line))) for line in lines]

    def problem(self, problem: Problem) -> Problem:
        """Return a problem with the names of the vocabulary and its objects in the order o1, o2 ..."""
        order = {name: place for place, name in enumerate(self.tables.objects.values())}
        domain = self.vocabulary.domain.name
        return self.tables.problem(problem, f"{domain}-problem", domain, order)


@lru_cache(maxsize=KEPT)
def vocabulary_of(domain: Domain, name: str, templates: Path, seed: int) -> Vocabulary:
    """Return the vocabulary ``name``, one of NAMES, of a domain; it is a function of ``seed``.

    Raises:
        UsageError: no vocabulary has this name.
        OrreryError: a template is broken or has too few words for the domain.
    """
    if name not in NAMES:
        raise UsageError(f"vocabulary '{name}'", "is unknown", suggest(name, "vocabularies", NAMES))
    rng = stream(seed, "vocabulary", name, domain.name)
    words = Lexicon(templates, name, domain, rng)
    predicates = {p.name: words.take(part_of_speech(p)) for p in (*domain.predicates, *domain.functions)}
    actions = {action.name: words.take("verb") for action in domain.actions}
    types = {typed.name: words.take("noun") for typed in domain.types if typed.name != OBJECT}
    constants = rng.sample(sorted(typed.name for typed in domain.constants), len(domain.constants))
    objects = {old: f"k{number}" for number, old in enumerate(constants, 1)}
    tables = Tables(predicates | {TOTAL_COST: TOTAL_COST}, actions, types, objects)
    renamed = renamed_domain(domain, words.take("domain"), tables)
    return Vocabulary(name, seed, domain, renamed, ObfuscatedWords(renamed.name, templates, renamed), tables)


def renamed_domain(domain: Domain, name: str, tables: Tables) -> Domain:
    """Return the domain as ``name`` with the names of ``tables`` and variables ?x, ?y, ....

    The order of all parts is kept.
    """
    return Domain(
        name=name,
        requirements=domain.requirements,
        types=tuple(tables.kind(typed) for typed in domain.types),
        constants=tuple(
            sorted(map(tables.typed, domain.constants), key=lambda constant: natural(constant.name))
        ),
        predicates=tuple(_with_variables(tables, p.parameters).predicate(p) for p in domain.predicates),
        actions=tuple(_with_variables(tables, action.parameters).action(action) for action in domain.actions),
        functions=tuple(_with_variables(tables, f.parameters).predicate(f) for f in domain.functions),
    )


def _with_variables(tables: Tables, parameters: Sequence[TypedName]) -> Tables:
    """Return the tables with the variables of one symbol added: ?x, ?y, ?z ... in their order."""
    letters = {typed.name: f"?{_nth_letter(place)}" for place, typed in enumerate(parameters)}
    return tables._replace(objects={**tables.objects, **letters})


def _nth_letter(place: int) -> str:
    return LETTERS[place] if place < len(LETTERS) else f"x{place}"


class Lexicon:
    """Provides different words for a vocabulary; none is similar to another or to a word of the domain."""

    def __init__(self, templates: Path, name: str, domain: Domain, rng: random.Random) -> None:
        """Read the word parts, or topics, of the template ``name``."""
        module = macros_of(templates, f"{FOLDER}/{name}")
        self._candidates = (
            _drawn_from(module.topics, rng) if hasattr(module, "topics") else _made_of(module, rng)
        )
        self._path, self._domain = templates / FOLDER / f"{name}.j2", domain
        self._theirs = _words_of(domain)
        self._taken: list[str] = []

    def take(self, kind: str) -> str:
        """Return a new word of a kind: "verb", "adjective", "noun" or "domain".

        Raises:
            OrreryError: the template has no more words of this kind.
        """
        for word in islice(self._candidates[kind], DRAWS):
            if self._may_serve(word):
                self._taken.append(word)
                return word
        problem = f"has too few words of kind '{kind}' for domain {self._domain.name}"
        raise OrreryError(str(self._path), problem, "add words")

    def _may_serve(self, word: str) -> bool:
        if word in RESERVED or any(_is_similar(word, name) for name in self._theirs):
            return False
        return not any(word.startswith(name) or name.startswith(word) for name in self._taken)


def _is_similar(word: str, name: str) -> bool:
    """Return whether one word contains the other; very short words must be equal."""
    return word == name or (len(name) > 2 and (name in word or word in name))


def _words_of(domain: Domain) -> list[str]:
    """Return the words in the names of a domain, including its variables."""
    predicates = (*domain.predicates, *domain.functions)
    signatures = [(p.name, p.parameters) for p in predicates] + [
        (a.name, a.parameters) for a in domain.actions
    ]
    names = [domain.name, *(typed.name for typed in (*domain.types, *domain.constants))]
    for name, parameters in signatures:
        names += [name, *(parameter.name for parameter in parameters)]
    letters = chain.from_iterable(re.findall("[a-z]+", name) for name in names)
    return sorted({word for word in letters if len(word) > 1} - {OBJECT})


def _made_of(module: Any, rng: random.Random) -> dict[str, Iterator[str]]:
    """Return, by kind, endless iterators of words composed of the parts in the template."""

    def words(endings: Sequence[str]) -> Iterator[str]:
        while True:
            yield "".join(map(rng.choice, (module.onsets, module.vowels, module.middles, endings)))

    words_by_ending = {kind: words(endings) for kind, endings in module.endings.items()}
    return words_by_ending | {"domain": words(module.endings["noun"])}


def _drawn_from(
    by_name: Mapping[str, Mapping[str, Sequence[str]]], rng: random.Random
) -> dict[str, Iterator[str]]:
    """Return, by kind, the words of one topic and then those of the other topics."""
    topics = [by_name[name] for name in rng.sample(sorted(by_name), len(by_name))]
    return {
        kind: iter([word for topic in topics for word in rng.sample(topic[kind], len(topic[kind]))])
        for kind in topics[0]
    }


def part_of_speech(predicate: Predicate) -> str:
    """Return the kind of word for a predicate: an adjective in "o1 is quiet", a verb in "o1 helps o2"."""
    return "verb" if predicate.arity > 1 else "adjective"
