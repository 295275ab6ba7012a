"""Read problems of the planning subset and check them against their domain; the first fault is raised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orrery.model import EQUAL, OBJECT, Atom, Domain, Literal, Predicate, Problem, TypedName, did_you_mean
from orrery.pddl.adl import AND, CONNECTIVES, NOT, NUMERIC
from orrery.pddl.faults import FaultLog, PddlError, SourceText, SyntaxFault
from orrery.pddl.formulas import RESERVED, typed_list
from orrery.pddl.sections import name_and_sections
from orrery.pddl.subset import TOTAL_COST, natural
from orrery.pddl.tree import Node, Tree, flattened

_SECTIONS = frozenset({":domain", ":requirements", ":objects", ":init", ":goal", ":metric"})
_WIDER = (CONNECTIVES | NUMERIC) - {AND, NOT, EQUAL, "increase", "unknown"}
_EQUALITY = Predicate(EQUAL, (TypedName("?x"), TypedName("?y")))


def problem_of(source: SourceText, tree: Node, domain: Domain) -> Problem:
    """Return the problem of a parsed tree of ``source``.

    Raises:
        PddlError: malformed sections, unknown names, wrong arity or types, another domain's problem.
        OutsideSubset: constructs beyond the subset.
    """
    name, sections = _sections(source, tree)
    _check_domain_name(source, domain, sections.get(":domain", tree))
    objects = _objects(source, domain, sections.get(":objects", Node(tree.at)))
    facts = _FactReader(source, domain, {typed.name: typed.types for typed in (*domain.constants, *objects)})
    if ":init" not in sections:
        mend = "add '(:init ...)'"
        raise source.error(tree.at, "the problem has no initial state", mend, SyntaxFault.MISSING_INIT)
    init, costs = facts.initial_state(sections[":init"])
    goal = _goal(facts, sections.get(":goal"), tree)
    metric = _metric(source, sections.get(":metric"))
    return Problem(name, domain.name, objects, init, goal, costs, metric)


def _sections(source: SourceText, tree: Node) -> tuple[str, Mapping[str, Node]]:
    """Return the name of the problem, and its sections by their heads."""
    name, nodes = name_and_sections(FaultLog(source, raises=True), tree, "problem")
    sections: dict[str, Node] = {}
    for node in nodes:
        if node.head in sections:
            raise source.error(node.at, f"section '{node.head}' is declared twice", "join the two")
        sections[node.head] = node
    for node in nodes:
        if node.head not in _SECTIONS:
            if misspelt := did_you_mean(node.head, sorted(_SECTIONS)):
                raise source.error(node.at, f"'{node.head}' is no section of a problem", misspelt)
            raise source.outside(node.at, node.head)
    return name, sections


def _check_domain_name(source: SourceText, domain: Domain, node: Node) -> None:
    """Raise an error unless the section names the domain."""
    if node.head != ":domain" or len(node) != 2:
        mend = f"add '(:domain {domain.name})'"
        raise source.error(node.at, "the problem must name its domain", mend, SyntaxFault.MISSING_DOMAIN)
    name = _symbol(source, node[1], node, "the name of a domain")
    if name != domain.name:
        problem = f"the problem names domain '{name}', expected '{domain.name}'"
        raise source.error(node.at, problem, fault=SyntaxFault.WRONG_DOMAIN)


def _objects(source: SourceText, domain: Domain, node: Node) -> tuple[TypedName, ...]:
    """Return the objects, all with declared types."""
    objects = typed_list(FaultLog(source, raises=True), node[1:], node, "object")
    constants = {constant.name for constant in domain.constants}
    for name, types in objects:
        if name in constants:
            problem = f"object '{name}' is already a constant of the domain"
            raise source.error(node.at, problem, fault=SyntaxFault.DUPLICATE_OBJECT)
        for kind in types:
            if kind not in domain.ancestors:
                mend = f"{_near(kind, domain.ancestors)}add '{kind}' to (:types ...)"
                problem = f"type '{kind}' is not declared"
                raise source.error(node.at, problem, mend, SyntaxFault.UNKNOWN_TYPE)
    return objects


def _goal(facts: _FactReader, node: Node | None, tree: Node) -> frozenset[Literal]:
    if node is None:
        mend = "add (:goal (and ...))"
        raise facts.source.error(tree.at, "the problem has no goal", mend, SyntaxFault.MISSING_GOAL)
    if len(node) == 1 or node[1:] == [[]]:
        mend = "write (:goal (and)) if every state is a goal"
        raise facts.source.error(node.at, "the goal has no formula", mend, SyntaxFault.MISSING_GOAL)
    if len(node) != 2 or not isinstance(node[1], Node):
        problem = "expected '(:goal (and ...))', a single formula"
        raise facts.source.error(node.at, problem, "join them by 'and'", SyntaxFault.MALFORMED)
    return facts.literals(node[1])


def _metric(source: SourceText, node: Node | None) -> bool:
    """Return whether the plan's total cost is to be minimised.

    The parentheses are optional, because some files lack them.
    """
    if node is None:
        return False
    if len(node) != 3:
        raise source.error(node.at, "expected '(:metric minimize (total-cost))'")
    if node[1] != "minimize" or node[2] not in ([TOTAL_COST], TOTAL_COST):
        raise source.outside(node.at, "a metric other than (minimize (total-cost))")
    return True


def _symbol(source: SourceText, item: Tree, parent: Node, expected: str) -> str:
    """Return ``item`` as a plain symbol."""
    if isinstance(item, str):
        return item
    raise source.error(item.at, f"expected {expected}, found a list inside '({parent.head} ...)'")


def _near(name: str, names: Iterable[str]) -> str:
    """Return ``did_you_mean`` as the start of a fix."""
    question = did_you_mean(name, names)
    return f"{question} else " if question else ""


@dataclass(frozen=True, slots=True)
class _FactReader:
    """Reads facts and literals over the objects of one problem; ``types`` has the types by name."""

    source: SourceText
    domain: Domain
    types: Mapping[str, tuple[str, ...]]

    def initial_state(self, node: Node) -> tuple[frozenset[Atom], frozenset[tuple[Atom, int]]]:
        """Return initial facts and the initial values of functions."""
        facts: set[Atom] = set()
        absent: set[Atom] = set()
        costs: dict[Atom, int] = {}
        for item in node[1:]:
            if not isinstance(item, Node):
                raise self.source.error(node.at, f"'{item}' in :init is not a fact", "add parentheses")
            if item.head == "and":
                mend = "remove 'and' and the parentheses around the facts"
                raise self.source.error(item.at, "':init' lists its facts without 'and'", mend)
            if item.head == EQUAL:
                term, value = self._value(item)
                if costs.setdefault(term, value) != value:
                    raise self.source.error(item.at, f"'{' '.join(term)}' is given two values")
            elif item.head == "not":
                absent.add(self._absent_fact(item))
            elif item.head == "at" and len(item) == 3 and isinstance(item[2], Node):
                raise self.source.outside(item.at, "a timed initial literal (at TIME ...)")
            else:
                facts.add(self._atom(item))
        if contradiction := sorted(facts & absent):
            problem = f"'{' '.join(contradiction[0])}' is stated both true and false"
            raise self.source.error(node.at, problem, fault=SyntaxFault.CONTRADICTORY_INIT)
        return frozenset(facts), frozenset(costs.items())

    def _absent_fact(self, node: Node) -> Atom:
        """Return the fact of ``(not fact)``, which states what is false by default."""
        inner = node[1] if len(node) == 2 else None
        if not isinstance(inner, Node) or inner.head == EQUAL:
            raise self.source.error(node.at, "'not' in :init takes one fact")
        return self._atom(inner)

    def _value(self, node: Node) -> tuple[Atom, int]:
        """Return ``(= (function arguments) number)``."""
        if len(node) != 3 or not isinstance(node[1], Node):
            raise self.source.error(node.at, "expected '(= (FUNCTION ...) NUMBER)'")
        number = _symbol(self.source, node[2], node, "a number")
        return self._function_term(node[1]), natural(self.source, number, node.at)

    def _function_term(self, node: Node) -> Atom:
        """Return a numeric function with its arguments."""
        expected = next((f for f in self.domain.functions if f.name == node.head), None)
        if expected is None:
            problem, mend = f"function '{node.head}' is not declared", "add it to (:functions ...)"
            raise PddlError(self.source.place(node.at), problem, mend, SyntaxFault.OUTSIDE_SUBSET)
        return self._checked(node, expected)

    def literals(self, node: Node) -> frozenset[Literal]:
        """Return a conjunction of literals of both signs; ``()`` has none."""
        return frozenset(self._literal(part, node) for part in flattened(node) if part != [])

    def _literal(self, part: Tree, parent: Node) -> Literal:
        """Return an atom or a negated atom."""
        if isinstance(part, str):
            problem = f"'{part}' stands where a literal is expected"
            raise self.source.error(parent.at, problem, "add parentheses")
        if part.head != "not":
            return Literal(self._atom(part))
        inner = part[1] if len(part) == 2 else None
        if not isinstance(inner, Node):
            raise self.source.error(part.at, "'not' takes one atom")
        if inner.head in {"and", "not"}:
            raise self.source.outside(inner.at, f"not ({inner.head} ...)")
        return Literal(self._atom(inner), positive=False)

    def _atom(self, node: Node) -> Atom:
        """Return a predicate or equality with its arguments, checked for arity, names and types."""
        head = node.head
        if head in self.domain.predicate_named:
            return self._checked(node, self.domain.predicate_named[head])
        if head == EQUAL:
            if any(isinstance(argument, Node) for argument in node):
                raise self.source.outside(node.at, "= between numbers")
            return self._checked(node, _EQUALITY)
        if head in _WIDER:
            raise self.source.outside(node.at, head)
        if not head:
            problem = "expected '(PREDICATE ...)' and found a list that does not begin with a name"
            mend = "name the predicate first, within one pair of parentheses"
            if len(node) > 1 and all(isinstance(part, Node) for part in node):
                mend = "join them by 'and'"
            raise self.source.error(node.at, problem, mend)
        if head in RESERVED:
            problem = f"'{head}' stands where a predicate is expected"
            raise self.source.error(node.at, problem, f"'{head}' is a word of PDDL: write a single atom")
        raise self.source.error(
            node.at,
            f"predicate '{head}' is not declared",
            f"{_near(head, self.domain.predicate_named)}add it to (:predicates ...)",
            SyntaxFault.UNKNOWN_PREDICATE,
        )

    def _checked(self, node: Node, expected: Predicate) -> Atom:
        """Return ``node`` as an atom, its arguments checked against the parameters of ``expected``."""
        if len(node) - 1 != expected.arity:
            problem = f"'{expected.name}' takes {expected.arity} arguments, found {len(node) - 1}"
            raise self.source.error(node.at, problem, fault=SyntaxFault.WRONG_ARITY)
        for item, parameter in zip(node[1:], expected.parameters, strict=True):
            name = _symbol(self.source, item, node, "an argument")
            types = self.types.get(name)
            if types is None:
                kind = "variable" if name.startswith("?") else "object"
                problem = f"{kind} '{name}' is not declared"
                mend = f"{_near(name, self.types)}declare it, or write the name of another"
                raise self.source.error(node.at, problem, mend, SyntaxFault.UNKNOWN_OBJECT)
            if parameter.types != (OBJECT,) and not self.domain.fits(types, parameter.types):
                problem = (
                    f"'{name}' is of type {'/'.join(types)}"
                    f" where '{node.head}' takes {'/'.join(parameter.types)}"
                )
                raise self.source.error(node.at, problem, fault=SyntaxFault.WRONG_TYPE)
        return tuple(node)  # type: ignore[arg-type]  # the loop above has checked that all are symbols
