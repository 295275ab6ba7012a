"""A domain in other words, and each of its problems with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from orrery.language.lexicon import Lexicon, part_of_speech
from orrery.language.obfuscated_words import ObfuscatedWords
from orrery.language.renaming import Tables, renamed_domain
from orrery.model import OBJECT, Atom, Domain, Problem, Step, UsageError
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom, write_atom, write_problem
from orrery.seeds import stream

NAMES = ("meaningless", "misleading")
TOTAL_COST = "total-cost"  # a word of PDDL: it keeps its name
KEPT = 64
FACT = re.compile(r"\([^()]+\)")


@dataclass(frozen=True)
class Vocabulary:
    """A domain under other names: ``plain`` as it was, ``domain`` renamed, and the words to render it."""

    name: str
    seed: int
    plain: Domain
    domain: Domain
    words: ObfuscatedWords
    tables: Tables

    def of(self, problem: Problem) -> RenamedProblem:
        """Return the view of one problem: its objects are called o1 .. on in an order drawn for it.

        That depends on the seed, the vocabulary, the domain and what the problem says, not on its name.
        """
        constants = self.tables.objects
        names = sorted(typed.name for typed in problem.objects if typed.name not in constants)
        facts = [" ".join(atom) for atom in sorted(problem.init)]
        facts += [f"{positive} {' '.join(atom)}" for atom, positive in sorted(problem.goal)]
        path = (self.name, self.plain.name, " ".join(names), "\n".join(facts))
        chance = stream(self.seed, "vocabulary", "objects", *path).random
        names.sort(key=lambda _: chance())
        fresh = {name: f"o{number}" for number, name in enumerate(names, 1)}
        return RenamedProblem(self, problem, self.tables._replace(objects={**constants, **fresh}))


@dataclass(frozen=True)
class RenamedProblem:
    """A vocabulary as one problem, ``plain``, sees it: the ``tables`` know its objects, too."""

    vocabulary: Vocabulary
    plain: Problem
    tables: Tables

    def fact(self, atom: Atom) -> Atom:
        """Return the fact in the names of the vocabulary."""
        return self.tables.atoms([atom])[0]

    def step(self, step: Step) -> Step:
        """Return the step of a plan in the names of the vocabulary."""
        return (self.tables.actions[step[0]], *[self.tables.objects[name] for name in step[1:]])

    def plan(self, lines: Iterable[str]) -> list[str]:
        """Return steps as ``(action object ...)`` in the names of the vocabulary."""
        return [write_atom(self.step(parse_atom(line))) for line in lines]

    def problem(self, problem: Problem) -> Problem:
        """Return a problem in the vocabulary's names, with its objects in the order o1, o2 ..."""
        order = {name: place for place, name in enumerate(self.tables.objects.values())}
        domain = self.vocabulary.domain.name
        return self.tables.problem(problem, f"{domain}-problem", domain, order)

    def original(self, renamed: Problem) -> Problem:
        """Return what ``problem`` made undone: plain names, and objects in their old order."""
        order = {typed.name: place for place, typed in enumerate(self.plain.objects)}
        return self.tables.inverse().problem(renamed, self.plain.name, self.plain.domain, order)

    def rename(self, text: str) -> str:
        """Return facts ``(predicate object ...)``, or a whole problem in PDDL, in the vocabulary's names.

        Not for steps, since an action may bear the name of a predicate: ``plan`` renames those.
        """
        if text.lstrip().startswith("(define"):
            return write_problem(self.problem(read_problem(text, self.vocabulary.plain)))
        return FACT.sub(lambda match: write_atom(self.fact(parse_atom(match[0]))), text)


@lru_cache(maxsize=KEPT)
def vocabulary_of(domain: Domain, name: str, templates: Path, seed: int) -> Vocabulary:
    """Return the vocabulary ``name`` of a domain, the same for the same ``seed``; one of NAMES.

    Raises:
        UsageError: there is no vocabulary of this name.
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
