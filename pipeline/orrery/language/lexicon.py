"""Choose new words for the symbols of a domain: all different, and none similar to words of the domain."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from orrery.language.words import macros_of
from orrery.model import OBJECT, Domain, OrreryError, Predicate

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
