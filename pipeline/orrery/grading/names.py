"""The names declared in the PDDL of a row: predicates or actions with their arity, and objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from .atoms import Atom
from .pddl import identifiers_of, read_declarations, read_objects
from .row import Row, needed_value

_IDENTIFIER = re.compile(r"(?<![\w-])\w+(?:[_-]+\w+)*(?![\w-])")


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The symbols that may begin an answer, with their number of arguments, and all objects."""

    arities: Mapping[str, int]
    objects: frozenset[str]
    # Identifiers mapped to names, for example "pick_up" to "pick-up", unless the identifier is itself a name.
    identifiers: Mapping[str, str] = field(default_factory=dict)

    def spelled(self, text: str) -> str:
        """Return a text in lower case with identifiers replaced by names."""
        return spelled(text, self.identifiers)

    def has_arity_of(self, atom: Atom) -> bool:
        """Return whether ``atom`` begins with a symbol of the domain and has its number of arguments."""
        return bool(atom) and self.arities.get(atom[0], -1) == len(atom) - 1

    def is_about_objects(self, atom: Atom) -> bool:
        """Return whether all arguments are objects, and there is at least one."""
        return len(atom) > 1 and atom[0] not in self.objects and self.objects.issuperset(atom[1:])

    def accept(self, atom: Atom, marked: bool) -> bool:
        """Return whether ``atom`` counts as an answer.

        If the answer is ``marked`` (after ``ANSWER:``), an atom with a wrong name counts too.
        """
        if self.has_arity_of(atom):
            return marked or self.objects.issuperset(atom[1:])
        return marked and self.is_about_objects(atom)


def predicate_names(row: Row) -> KnownNames:
    """Return the predicates and objects of the row's problem."""
    return _names(needed_value(row, "PDDL_domain"), needed_value(row, "PDDL_problem"), True)


def action_names(row: Row) -> KnownNames:
    """Return the actions and objects of the row's problem."""
    return _names(needed_value(row, "PDDL_domain"), needed_value(row, "PDDL_problem"), False)


# Rows of a domain, and replies to one row, are consecutive, so their PDDL is read once.
@lru_cache(maxsize=64)
def _names(domain: str, problem: str, of_predicates: bool) -> KnownNames:
    declarations = read_declarations(domain)
    objects = frozenset({*declarations.constants, *read_objects(problem)})
    arities = declarations.action_arities
    if of_predicates:
        arities = {name: len(types) for name, types in declarations.predicates.items()}
    return KnownNames(arities, objects, identifiers_of({*arities, *objects}))


def spelled(text: str, identifiers: Mapping[str, str]) -> str:
    """Return a text in lower case with identifiers replaced by names, see ``identifiers_of``."""
    if not identifiers or "_" not in text:
        return text
    return _IDENTIFIER.sub(lambda word: identifiers.get(word[0], word[0]), text)
