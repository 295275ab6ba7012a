"""Quick reader of sound problem texts: whole sections by regular expression, facts checked by column.

It either reads a problem exactly as the careful reader (``read.read_problem``) does, or gives None on the
least doubt: unsound text, letters beyond ASCII, anything deeper than a conjunction of literals. The
careful reader then reads it, or says where it is wrong. Five times as fast, since no token becomes a
Python object of its own before a whole fact is cut out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from orrery.model import EQUAL, Atom, Domain, Literal, Problem, State, TypedName

Accepted: TypeAlias = Mapping[str, tuple[frozenset[str] | None, ...]]
Costs: TypeAlias = frozenset[tuple[Atom, int]]

_NAME = r"[a-z0-9_][a-z0-9_-]*+"
_COMMENT = re.compile(r";[^\n]*")
_START = re.compile(rf"\s*\(\s*define\s*\(\s*problem\s+({_NAME})\s*\)\s*")
_END = re.compile(r"\)\s*")

_FLAT = r"\([^()]*+\)"
_TWO = rf"\((?:[^()]++|{_FLAT})*+\)"
_THREE = rf"\((?:[^()]++|{_TWO})*+\)"
# Possessive throughout: each character is looked at a bounded number of times, whatever the text.
_SECTION = re.compile(rf"\(\s*(:[a-z-]++)((?:[^()]++|{_THREE})*+)\)\s*")

_NEGATED = rf"\(\s*not\s*{_FLAT}\s*\)"
_GIVEN = rf"\(\s*=\s*{_FLAT}\s*[0-9]{{1,15}}\s*\)"
_INIT = re.compile(rf"\s*(?:(?:{_FLAT}|{_NEGATED}|{_GIVEN})\s*)*+")
_GOAL = re.compile(
    rf"\s*(?:\(\s*and\s*(?P<all>(?:(?:{_FLAT}|{_NEGATED})\s*)*+)\)|(?P<one>{_FLAT}|{_NEGATED}))\s*"
)
_METRIC = re.compile(r"\s*minimize\s*(?:\(\s*total-cost\s*\)|(?<=\s)total-cost)\s*")
_OBJECTS = re.compile(rf"\s*(?:{_NAME}(?:\s+-\s+{_NAME})?(?:\s+|\Z))*+")

_ATOM = re.compile(r"\(([^()]*)\)")
_NEGATIVE = re.compile(r"\(\s*not\s*\(([^()]*)\)\s*\)")
_VALUE = re.compile(r"\(\s*=\s*\(([^()]*)\)\s*([0-9]+)\s*\)")

_NEEDED = frozenset({":domain", ":init", ":goal"})
_BARE = frozenset({":domain", ":requirements", ":objects"})
_KNOWN = _NEEDED | _BARE | {":metric"}


class _Doubt(Exception):
    """The text is not as plain as this reader wants it."""


def read_quickly(text: str, domain: Domain) -> Problem | None:
    """Return the problem of a sound and plain text, equal to that of ``read_problem``; None for any other."""
    if not text.isascii():
        return None
    try:
        return _read(_COMMENT.sub("", text).lower() if ";" in text else text.lower(), domain)
    except _Doubt:
        return None


def _read(text: str, domain: Domain) -> Problem:
    start = _START.match(text)
    if start is None:
        raise _Doubt
    sections = _sections(text, start.end())
    if sections[":domain"].split() != [domain.name]:
        raise _Doubt
    objects = _objects(sections.get(":objects", ""), domain)
    check = _AtomCheck(domain, objects)
    init, costs = _init(sections[":init"], domain, check)
    goal = _goal(sections[":goal"], domain, check)
    return Problem(start[1], domain.name, objects, init, goal, costs, _metric(sections.get(":metric")))


def _sections(text: str, at: int) -> dict[str, str]:
    """Return what follows each section's head, in a problem whose sections are known and given once."""
    found: dict[str, str] = {}
    while section := _SECTION.match(text, at):
        head, content = section.groups()
        if head in found or head not in _KNOWN:
            raise _Doubt
        found[head], at = content, section.end()
    if not _END.fullmatch(text, at) or not found.keys() >= _NEEDED:
        raise _Doubt
    # These hold bare words, which must not be glued to the head.
    for head in _BARE & found.keys():
        if found[head] and not found[head][0].isspace():
            raise _Doubt
    if "(" in found.get(":requirements", ""):
        raise _Doubt
    return found


def _objects(content: str, domain: Domain) -> tuple[TypedName, ...]:
    """Return the declared objects, each once and of a known type."""
    if not _OBJECTS.fullmatch(content):
        raise _Doubt
    words, found = content.split(), list[TypedName]()
    while "-" in words:
        dash = words.index("-")
        types = (words[dash + 1],)
        if types[0] not in domain.ancestors:
            raise _Doubt
        found.extend([TypedName(name, types) for name in words[:dash]])
        words = words[dash + 2 :]
    found.extend([TypedName(name) for name in words])
    names = {typed.name for typed in found}
    if len(names) < len(found) or any(constant.name in names for constant in domain.constants):
        raise _Doubt
    return tuple(found)


class _AtomCheck:
    """The objects and predicates that facts of one problem may use."""

    def __init__(self, domain: Domain, objects: tuple[TypedName, ...]) -> None:
        self.names: set[str] = set()
        self.of_type: dict[str, set[str]] = {}
        for typed in (*domain.constants, *objects):
            self.names.add(typed.name)
            self.of_type.setdefault(typed.types[0], set()).add(typed.name)

    def atoms(self, written: Sequence[str], accepted: Accepted) -> list[Atom]:
        """Return the atoms between parentheses, all of declared heads and over fitting objects."""
        atoms = [tuple(each.split()) for each in written]
        by_head: dict[str, list[Atom]] = {}
        for atom in atoms:
            if not atom:
                raise _Doubt
            by_head.setdefault(atom[0], []).append(atom)
        for head, group in by_head.items():
            wanted = accepted.get(head)
            if wanted is None or set(map(len, group)) != {len(wanted) + 1}:
                raise _Doubt
            self._check(group, wanted)
        return atoms

    def _check(self, group: list[Atom], wanted: tuple[frozenset[str] | None, ...]) -> None:
        """Raise unless the objects of each position are declared and of its types."""
        _, *columns = zip(*group, strict=True)
        for types, column in zip(wanted, columns, strict=True):
            if not self._fitting(types).issuperset(column):
                raise _Doubt

    def _fitting(self, types: frozenset[str] | None) -> set[str]:
        if types is None:
            return self.names
        return set().union(*(names for name, names in self.of_type.items() if name in types))


def _init(content: str, domain: Domain, check: _AtomCheck) -> tuple[State, Costs]:
    """Return initial facts and values of functions; no fact may be stated both true and false."""
    if not _INIT.fullmatch(content):
        raise _Doubt
    costs: dict[Atom, int] = {}
    if EQUAL in content:
        values = _VALUE.findall(content)
        terms, numbers = [term for term, _ in values], [int(number) for _, number in values]
        atoms = check.atoms(terms, domain.accepted_by_functions)
        for term, number in zip(atoms, numbers, strict=True):
            if costs.setdefault(term, number) != number:
                raise _Doubt
        content = _VALUE.sub("", content)
    positive, negative = _apart(content)
    facts = frozenset(check.atoms(positive, domain.accepted))
    if negative and not facts.isdisjoint(check.atoms(negative, domain.accepted)):
        raise _Doubt
    return facts, frozenset(costs.items())


def _goal(content: str, domain: Domain, check: _AtomCheck) -> frozenset[Literal]:
    """Return a literal, or a conjunction of literals."""
    found = _GOAL.fullmatch(content)
    if found is None:
        raise _Doubt
    positive, negative = _apart(found["one"] or found["all"])
    goal = [Literal(atom) for atom in check.atoms(positive, domain.accepted)]
    if negative:
        goal += [Literal(atom, False) for atom in check.atoms(negative, domain.accepted)]
    return frozenset(goal)


def _apart(content: str) -> tuple[list[str], list[str]]:
    """Return the insides of the atoms, and of the negated atoms."""
    if "not" not in content:
        return _ATOM.findall(content), []
    return _ATOM.findall(_NEGATIVE.sub("", content)), _NEGATIVE.findall(content)


def _metric(content: str | None) -> bool:
    """Return whether the total cost is to be minimised."""
    if content is None:
        return False
    if not _METRIC.fullmatch(content):
        raise _Doubt
    return True
