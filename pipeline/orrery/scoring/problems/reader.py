"""Tolerant reader of model output: it returns the problem and the tolerated deviations, or the error.

Tolerated deviations never change the meaning of the problem: its place in the output (``extract``), case,
comments, spacing, escapes, requirements, ``- object``, false facts in the initial state, a total cost of 0
that the domain does not have, the problem's name. Anything that could change the meaning is an error with a
class: unknown names, wrong arity or type, missing sections, mismatched parentheses. Nothing is ever removed
from an initial state or goal.

*Ignoring added types* is the one exception, which must be requested: types that the domain does not declare
are removed from ``:objects``, together with the unary atoms of their names. An object of such a type
receives the atom of that name if the domain has that predicate with one argument.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from orrery.model import OBJECT, Domain, Problem
from orrery.pddl.faults import SourceText, SyntaxFault
from orrery.pddl.problem import problem_of
from orrery.pddl.read import PddlError
from orrery.pddl.tree import Node, Tree, parse
from orrery.scoring.problems.extract import ReplyErrorClass, Tolerance, Unreadable, extract

LONGEST_DETAIL = 200
_TITLE = re.compile(r"\(\s*define\s*\(\s*problem([^()]*)\)")
_NAME = re.compile(r"\s+[a-z0-9_][a-z0-9_-]*\s*")
_UNNAMED = "(define (problem unnamed)"
_TOTAL_COST = "total-cost"
_COST = re.compile(r"\(\s*=\s*\(\s*total-cost\s*\)\s*0++(?:\.0*+)?\s*\)")
_METRIC = re.compile(r"\(\s*:metric\s+minimize\s*\(\s*total-cost\s*\)\s*\)")
_REQUIREMENTS = re.compile(r"\(\s*:requirements([^()]*)\)")
_OBJECT_TYPE = re.compile(r"\s-\s+object(?![^\s()])")
_NEGATIVE = re.compile(r"\(\s*:init(?![^\s()])(?:[^()]++|\([^()]*+\))*?\(\s*not(?![^\s()])")


@dataclass(frozen=True, slots=True)
class Reading:
    """The problem of an output, or the class of the error (exactly one of the two).

    ``tolerated`` is sorted. ``detail`` describes the error, in at most LONGEST_DETAIL characters.
    """

    problem: Problem | None
    error: ReplyErrorClass | SyntaxFault | None
    tolerated: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Readings:
    """The readings of an output: as written, and without added types; equal if it adds none."""

    plain: Reading
    relaxed: Reading


def read_both(text: str, domain: Domain) -> Readings:
    """Return both readings of an output: as written, and without added types."""
    try:
        extracted = extract(text)
    except Unreadable as failure:
        unread = Reading(None, failure.error, detail=_short(failure.detail))
        return Readings(unread, unread)
    written, named = _titled(extracted.text)
    written, costs = _without_costs(written, domain)
    tolerated = extracted.tolerated | named | costs | _small_things(written, domain)
    source = SourceText(written, "output")
    plain = _read(source, domain, tolerated, relax=False)
    if plain.problem is not None:
        return Readings(plain, plain)
    return Readings(plain, _read(source, domain, tolerated, relax=True))


def _read(source: SourceText, domain: Domain, tolerated: frozenset[Tolerance], *, relax: bool) -> Reading:
    try:
        tree = parse(source)
        if relax and _Relaxed(tree, domain).changed():
            tolerated |= {Tolerance.ADDED_TYPES}
        return _reading(problem_of(source, tree, domain), tolerated)
    except PddlError as error:
        failed = _reading(None, tolerated)
        return replace(failed, error=error.fault, detail=_short(error.problem))


def _reading(problem: Problem | None, tolerated: frozenset[Tolerance]) -> Reading:
    return Reading(problem, None, tuple(sorted(map(str, tolerated))))


def _short(detail: str) -> str:
    return detail if len(detail) <= LONGEST_DETAIL else detail[: LONGEST_DETAIL - 1] + "…"


def _titled(text: str) -> tuple[str, frozenset[Tolerance]]:
    """Return the text with a valid name of the problem, which affects no verdict."""
    title = _TITLE.match(text)
    if title is None or _NAME.fullmatch(title[1]):
        return text, frozenset()
    return _UNNAMED + text[title.end() :], frozenset({Tolerance.PROBLEM_NAME})


def _without_costs(text: str, domain: Domain) -> tuple[str, frozenset[Tolerance]]:
    """Return the text without a total cost that the domain does not have.

    It is 0 initially in any problem.
    """
    if "total-cost" not in text or any(function.name == _TOTAL_COST for function in domain.functions):
        return text, frozenset()
    plain = _METRIC.sub("", _COST.sub("", text))
    return plain, frozenset() if plain == text else frozenset({Tolerance.TOTAL_COST})


def _small_things(written: str, domain: Domain) -> frozenset[Tolerance]:
    """Return the deviations that most PDDL parsers accept."""
    tolerances: set[Tolerance] = set()
    required = _REQUIREMENTS.search(written)
    if required and not {":strips", *domain.requirements}.issuperset(required[1].split()):
        tolerances.add(Tolerance.REQUIREMENTS)
    if not domain.types and _OBJECT_TYPE.search(written):
        tolerances.add(Tolerance.OBJECT_TYPE)
    if "not" in written and _NEGATIVE.search(written):
        tolerances.add(Tolerance.NEGATIVE_INIT)
    return frozenset(tolerances)


class _Relaxed:
    """A problem's tree without the types that the domain does not declare; changed in place."""

    def __init__(self, tree: Node, domain: Domain) -> None:
        self.tree, self.domain = tree, domain
        self.typed: dict[str, str] = {}  # object -> added type
        self.added: set[str] = set()
        self.names = {constant.name for constant in domain.constants}

    def changed(self) -> bool:
        """Remove undeclared types from the tree; return whether there were any."""
        sections = {item.head: item for item in self.tree if isinstance(item, Node)}
        self._drop_types(sections.get(":objects", Node(0)))
        if ":types" in sections:
            self.tree[:] = [item for item in self.tree if item is not sections[":types"]]
        if not self.added:
            return ":types" in sections
        for head in (":init", ":goal"):
            if head in sections:
                self._drop_atoms(sections[head])
        if ":init" in sections:
            sections[":init"].extend(self._atoms())
        return True

    def _drop_types(self, objects: Node) -> None:
        """Replace ``a b - room`` by ``a b - object``."""
        waiting: list[str] = []
        for at, item in enumerate(objects[1:], 1):
            if objects[at - 1] == "-":
                self._drop_type(objects, at, waiting)
                waiting = []
            elif isinstance(item, str) and item != "-":
                waiting.append(item)
                self.names.add(item)

    def _drop_type(self, objects: Node, at: int, names: list[str]) -> None:
        """Replace ``room``, or ``(either room hall)``, by ``object`` if the domain has none of them."""
        item = objects[at]
        types = [item] if isinstance(item, str) else item[1:] if item.head == "either" else []
        if types and not any(isinstance(name, Node) or name in self.domain.ancestors for name in types):
            self.added.update(map(str, types))
            objects[at] = OBJECT
            if isinstance(item, str):
                self.typed |= dict.fromkeys(names, item)

    def _drop_atoms(self, section: Node) -> None:
        """Remove ``(block a)`` if ``block`` is an added type and not a predicate of the domain."""
        todo = [section]
        while todo:
            node = todo.pop()
            remaining = [item for item in node if not self._is_type_atom(item)]
            if section.head == ":goal" and node is section and len(remaining) < len(node):
                remaining.append(Node(node.at))
            node[:] = remaining
            todo += [item for item in remaining if isinstance(item, Node) and item.head == "and"]

    def _is_type_atom(self, item: Tree) -> bool:
        return (
            isinstance(item, Node)
            and len(item) == 2
            and item.head in self.added - self.domain.predicate_named.keys()
            and isinstance(item[1], str)
            and item[1] in self.names
        )

    def _atoms(self) -> list[Node]:
        """Return ``(room a)`` for each object of an added type that is a predicate with one argument."""
        unary = {predicate.name for predicate in self.domain.predicates if predicate.arity == 1}
        atoms = []
        for name, added in self.typed.items():
            if added in unary:
                atoms.append(Node(self.tree.at))
                atoms[-1].extend((added, name))
        return atoms
