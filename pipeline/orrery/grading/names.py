"""The names that a row's PDDL declares: predicates or actions with their arity, and objects."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from .atoms import Atom
from .row import Row, needed_value

_NESTED = r"[^()]*(?:\([^()]*\)[^()]*)*"
_COMMENT = re.compile(r";[^\n]*")
_ACTION = re.compile(rf"\(\s*:action\s+([^\s()]+)\s*(?::parameters\s*\(({_NESTED})\))?")
_PREDICATE = re.compile(rf"\(\s*([^\s()?]+)({_NESTED})\)")
_TYPE = re.compile(r"\s-\s*(?:\([^()]*\)|[^\s()]+)")
_IDENTIFIER = re.compile(r"(?<![\w-])\w+(?:[_-]+\w+)*(?![\w-])")


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Symbols that an answer may begin with, with their number of arguments, and all objects."""

    arities: Mapping[str, int]
    objects: frozenset[str]
    # Names by what they are in a programming language, where that is no other name: "pick_up" for "pick-up".
    identifiers: Mapping[str, str] = field(default_factory=dict)

    def spelled(self, text: str) -> str:
        """Return a text in lower case with names instead of their identifiers."""
        return spelled(text, self.identifiers)

    def has_arity_of(self, atom: Atom) -> bool:
        """Return whether ``atom`` begins with a symbol of the domain and has its number of arguments."""
        return bool(atom) and self.arities.get(atom[0], -1) == len(atom) - 1

    def is_about_objects(self, atom: Atom) -> bool:
        """Return whether all arguments are objects, and there is one at least."""
        return len(atom) > 1 and atom[0] not in self.objects and self.objects.issuperset(atom[1:])

    def accept(self, atom: Atom, marked: bool) -> bool:
        """Return whether ``atom`` is meant as an answer.

        Where the answer is ``marked`` (behind ``ANSWER:``), one with a wrong name is meant too.
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


# Rows of a domain, and replies to one row, follow each other: their PDDL is read once.
@lru_cache(maxsize=64)
def _names(domain: str, problem: str, of_predicates: bool) -> KnownNames:
    arities, objects = _arities(domain, of_predicates), _objects(_lowered(domain), _lowered(problem))
    return KnownNames(arities, objects, identifiers_of({*arities, *objects}))


def spelled(text: str, identifiers: Mapping[str, str]) -> str:
    """Return a text in lower case with names instead of their identifiers, see ``identifiers_of``."""
    if not identifiers or "_" not in text:
        return text
    return _IDENTIFIER.sub(lambda word: identifiers.get(word[0], word[0]), text)


def identifiers_of(names: Collection[str]) -> dict[str, str]:
    """Return the names with hyphens by what they are with underscores, where that is no other name."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.replace("-", "_"), []).append(name)
    return {written: some[0] for written, some in found.items() if some != [written] and len(some) == 1}


@lru_cache(maxsize=64)
def _arities(domain: str, of_predicates: bool) -> Mapping[str, int]:
    text = _lowered(domain)
    found = _PREDICATE.findall(_section(text, "(:predicates")) if of_predicates else _ACTION.findall(text)
    return {name: parameters.count("?") for name, parameters in found}


def _objects(domain: str, problem: str) -> frozenset[str]:
    declared = _section(problem, "(:objects") + " " + _section(domain, "(:constants")
    return frozenset(_TYPE.sub(" ", declared).replace(")", " ").split())


def _lowered(text: str) -> str:
    """Return PDDL in lower case, without comments."""
    return (_COMMENT.sub("", text) if ";" in text else text).lower()


def _section(text: str, head: str) -> str:
    """Return the inside of ``(:head ...)``, up to the next section."""
    start = text.find(head)
    if start < 0:
        return ""
    end = text.find("(:", start + 1)
    return text[start + len(head) : end if end > 0 else len(text)]
