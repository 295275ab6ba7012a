"""Rename a domain, and each of its problems, with the words of a vocabulary.

The new words are all different, and none is similar to a word of the domain.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from orrery.language.obfuscated_words import ObfuscatedWords
from orrery.language.words import macros_of, natural
from orrery.model import OBJECT, Domain, OrreryError, Predicate, Problem, TypedName, UsageError
from orrery.pddl.renaming import Tables
from orrery.pddl.write import parse_atom, write_atom
from orrery.seeds import stream

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
        raise UsageError(f"vocabulary '{name}'", "is unknown", f"vocabularies: {', '.join(NAMES)}")
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
