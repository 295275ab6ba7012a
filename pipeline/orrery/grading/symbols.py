"""The symbols that begin the entries of an answer (actions or predicates), and the objects of the problem."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .atoms import Atom
from .pddl import GradedProblem, TypeSets, read_problem
from .plans.wordings import WordingNode, wordings_of
from .row import Row, needed_value, value

_IDENTIFIER = re.compile(r"(?<![\w-])\w+(?:[_-]+\w+)*(?![\w-])")


@dataclass(frozen=True, slots=True)
class Symbols:
    """The symbols that begin entries, with the types of their arguments, and their wordings.

    ``strangers`` are symbols of other expressions. An expression that begins with one is not read as a
    misspelled entry. ``negatable``: an entry may be negated.
    """

    types: Mapping[str, TypeSets]
    problem: GradedProblem
    strangers: Collection[str]
    wordings: WordingNode
    negatable: bool

    @property
    def objects(self) -> Mapping[str, frozenset[str]]:
        """The objects of the problem, with their types."""
        return self.problem.objects

    def spelled(self, text: str) -> str:
        """Return a text in lower case with identifiers replaced by names: "pick_up" by "pick-up"."""
        identifiers = self.problem.identifiers
        if not identifiers or "_" not in text:
            return text
        return _IDENTIFIER.sub(lambda word: identifiers.get(word[0], word[0]), text)

    def has_arity_of(self, atom: Atom) -> bool:
        """Return whether ``atom`` begins with one of the symbols and has its number of arguments."""
        return bool(atom) and atom[0] in self.types and len(self.types[atom[0]]) == len(atom) - 1

    def is_about_objects(self, atom: Atom) -> bool:
        """Return whether all arguments are objects, and there is at least one."""
        objects = self.objects
        return len(atom) > 1 and atom[0] not in objects and all(name in objects for name in atom[1:])

    def accept(self, atom: Atom, marked: bool) -> bool:
        """Return whether ``atom`` counts as an answer.

        If the answer is ``marked`` (after ``ANSWER:``), an atom with a wrong name counts too.
        """
        if self.has_arity_of(atom):
            return marked or all(name in self.objects for name in atom[1:])
        return marked and self.is_about_objects(atom)


def problem_of(row: Row) -> GradedProblem:
    """Return the problem of a row.

    Raises:
        ValueError: The row has no valid domain or problem.
    """
    domain, problem = (
        value(row, f"{part}_pddl") or needed_value(row, f"PDDL_{part}") for part in ("domain", "problem")
    )
    return read_problem(domain, problem)


def step_symbols(row: Row) -> Symbols:
    """Return the symbols of the actions of a row."""
    problem = problem_of(row)
    domain = problem.domain
    return Symbols(domain.parameters, problem, domain.predicates, wordings_of(row, domain, "actions"), False)


def fact_symbols(row: Row) -> Symbols:
    """Return the symbols of the facts of a row."""
    problem = problem_of(row)
    domain = problem.domain
    strangers = domain.parameters.keys() - domain.predicates.keys()
    return Symbols(domain.predicates, problem, strangers, wordings_of(row, domain, "facts"), True)
