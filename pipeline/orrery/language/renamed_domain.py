"""Rename a domain, and each of its problems, with the words of a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from orrery.language.lexicon import Lexicon, part_of_speech
from orrery.language.obfuscated_words import ObfuscatedWords
from orrery.language.words import natural
from orrery.model import (
    OBJECT,
    Action,
    Atom,
    Domain,
    Literal,
    Predicate,
    Problem,
    Step,
    TypedName,
    UsageError,
)
from orrery.pddl.write import parse_atom, write_atom
from orrery.seeds import stream

NAMES = ("meaningless", "misleading")
TOTAL_COST = "total-cost"  # a keyword of PDDL: it keeps its name
KEPT = 64
LETTERS = "xyzuvwpqrstbcdefghjklmno"  # for variables; "a" and "i" are English words

Renames: TypeAlias = Mapping[str, str]


class Tables(NamedTuple):
    """Maps from old names to new ones; ``predicates`` includes functions, ``objects`` includes constants."""

    predicates: Renames
    actions: Renames
    types: Renames
    objects: Renames

    def inverse(self) -> Tables:
        """Return the maps from new names to old ones."""
        return Tables(*({new: old for old, new in table.items()} for table in self))

    def atoms(self, atoms: Iterable[Atom]) -> list[Atom]:
        """Return facts or function terms renamed; PDDL keywords stay."""
        heads, name_of = self.predicates, self.objects.__getitem__
        return [(heads.get(atom[0], atom[0]), *map(name_of, atom[1:])) for atom in atoms]

    def literals(self, literals: Iterable[Literal]) -> frozenset[Literal]:
        """Return literals renamed, with their signs."""
        listed = list(literals)
        atoms = self.atoms([atom for atom, _ in listed])
        return frozenset(map(Literal, atoms, [positive for _, positive in listed]))

    def typed(self, typed: TypedName) -> TypedName:
        """Return an object or variable with its types renamed."""
        types = self.types
        return TypedName(
            self.objects[typed.name],
            tuple(types.get(name_of_type, name_of_type) for name_of_type in typed.types),
        )

    def kind(self, typed: TypedName) -> TypedName:
        """Return a declared type and its parents renamed; ``object`` keeps its name."""
        name, *parents = (self.types.get(word, word) for word in (typed.name, *typed.types))
        return TypedName(name, tuple(parents))

    def problem(self, problem: Problem, name: str, domain: str, order: Mapping[str, int]) -> Problem:
        """Return the problem renamed, its objects in ``order``."""
        costs = list(problem.costs)
        return replace(
            problem,
            name=name,
            domain=domain,
            objects=tuple(
                sorted(
                    map(self.typed, problem.objects), key=lambda renamed_object: order[renamed_object.name]
                )
            ),
            init=frozenset(self.atoms(problem.init)),
            goal=self.literals(problem.goal),
            costs=frozenset(zip(self.atoms(term for term, _ in costs), (n for _, n in costs), strict=True)),
        )


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
        return RenamedProblem(self, problem, self.tables._replace(objects={**constants, **fresh}))


@dataclass(frozen=True)
class RenamedProblem:
    """A vocabulary for one problem, ``plain``; its ``tables`` also rename the objects."""

    vocabulary: Vocabulary
    plain: Problem
    tables: Tables

    def step(self, step: Step) -> Step:
        """Return the step of a plan with the names of the vocabulary."""
        return (self.tables.actions[step[0]], *[self.tables.objects[name] for name in step[1:]])

    def plan(self, lines: Iterable[str]) -> list[str]:
        """Return steps as ``(action object ...)`` with the names of the vocabulary."""
        return [write_atom(self.step(parse_atom(line))) for line in lines]

    def problem(self, problem: Problem) -> Problem:
        """Return a problem with the names of the vocabulary and its objects in the order o1, o2 ..."""
        order = {name: place for place, name in enumerate(self.tables.objects.values())}
        domain = self.vocabulary.domain.name
        return self.tables.problem(problem, f"{domain}-problem", domain, order)

    def original(self, renamed: Problem) -> Problem:
        """Return the original of a renamed problem, with its object order: the inverse of ``problem``."""
        order = {typed.name: place for place, typed in enumerate(self.plain.objects)}
        return self.tables.inverse().problem(renamed, self.plain.name, self.plain.domain, order)


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
        predicates=tuple(_symbol(predicate, tables) for predicate in domain.predicates),
        actions=tuple(_action(action, tables) for action in domain.actions),
        functions=tuple(_symbol(function, tables) for function in domain.functions),
    )


def _symbol(predicate: Predicate, tables: Tables) -> Predicate:
    inner = _with_variables(tables, predicate.parameters)
    return Predicate(tables.predicates[predicate.name], tuple(map(inner.typed, predicate.parameters)))


def _action(action: Action, tables: Tables) -> Action:
    inner = _with_variables(tables, action.parameters)
    return Action(
        tables.actions[action.name],
        tuple(map(inner.typed, action.parameters)),
        inner.literals(action.preconditions),
        frozenset(inner.atoms(action.add)),
        frozenset(inner.atoms(action.delete)),
        inner.atoms([action.cost])[0] if isinstance(action.cost, tuple) else action.cost,
    )


def _with_variables(tables: Tables, parameters: Sequence[TypedName]) -> Tables:
    """Return the tables with the variables of one symbol added: ?x, ?y, ?z ... in their order."""
    letters = {typed.name: f"?{_nth_letter(place)}" for place, typed in enumerate(parameters)}
    return tables._replace(objects={**tables.objects, **letters})


def _nth_letter(place: int) -> str:
    return LETTERS[place] if place < len(LETTERS) else f"x{place}"
