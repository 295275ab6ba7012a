"""Reader of the planning subset: STRIPS, types, negative preconditions, equality, action costs.

Whatever lies outside raises ``OutsideSubset``; whatever is unsound raises ``PddlError``. Both name
file, line and column. A requirement that is used but not declared is tolerated, as planners do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from pipeline.model import EQUAL, OBJECT, Action, Atom, Domain, Literal, Predicate, Problem, TypedName
from pipeline.pddl.logic import (
    Scope,
    atom,
    conjuncts,
    function_term,
    known_types,
    literals_of,
    symbol,
    typed_list,
    unique,
)
from pipeline.pddl.tree import Node, OutsideSubset, PddlError, Source, Tree, parse

TOTAL_COST = "total-cost"

__all__ = ["OutsideSubset", "PddlError", "read_domain", "read_domain_file", "read_problem"]


def read_domain_file(path: Path) -> Domain:
    """The domain of a file; a missing or undecodable file is a ``PddlError`` too."""
    try:
        return read_domain(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise PddlError(str(path), f"cannot be read: {error}", "give a UTF-8 PDDL file") from error


def read_domain(text: str, source: str = "<domain>") -> Domain:
    """The domain of a PDDL text, names lower-cased, declarations in file order.

    Raises:
        PddlError: malformed text, undeclared or doubly declared names, wrong arity or types.
        OutsideSubset: constructs beyond the subset.
    """
    origin = Source(text, source)
    name, sections = _define(origin, parse(origin), "domain")
    domain = Domain(name, (), (), (), (), ())
    readers: dict[str, Callable[[Source, Domain, Node], Domain]] = {
        ":requirements": _requirements,
        ":types": _types,
        ":constants": _constants,
        ":predicates": _predicates,
        ":functions": _functions,
        ":action": _action,
    }
    for head in readers:
        for section in [section for section in sections if section.head == head]:
            domain = readers[head](origin, domain, section)
    for section in sections:
        if section.head not in readers:
            raise origin.outside(section, section.head)
    return domain


def _define(source: Source, tree: Node, kind: str) -> tuple[str, list[Node]]:
    """Name and sections of ``(define (kind name) ...)``, no section given twice but actions."""
    title = tree[1] if len(tree) > 1 else None
    if tree.head != "define" or not isinstance(title, Node) or title.head != kind or len(title) != 2:
        raise source.error(tree, f"expected '(define ({kind} NAME) ...)'")
    sections = [item for item in tree[2:] if isinstance(item, Node) and item.head]
    if len(sections) != len(tree) - 2:
        raise source.error(tree, f"something in the {kind} is not a section such as '(:init ...)'")
    heads = [section.head for section in sections if section.head != ":action"]
    unique(source, heads, tree, "section")
    return symbol(source, title[1], title, "a name"), sections


def _requirements(source: Source, domain: Domain, node: Node) -> Domain:
    names = tuple(symbol(source, item, node, "a requirement") for item in node[1:])
    return replace(domain, requirements=names)


def _types(source: Source, domain: Domain, node: Node) -> Domain:
    types = tuple(typed for typed in typed_list(source, node[1:], node) if typed.name != OBJECT)
    unique(source, [typed.name for typed in types], node, "type")
    domain = replace(domain, types=types)
    known_types(source, domain, types, node)
    for typed in types:
        if any(typed.name in domain.ancestors[parent] for parent in typed.types if parent != OBJECT):
            raise source.error(node, f"type '{typed.name}' is its own ancestor", "break the cycle")
    return domain


def _typed_section(source: Source, domain: Domain, node: Node, what: str) -> tuple[TypedName, ...]:
    names = typed_list(source, node[1:], node)
    unique(source, [typed.name for typed in names], node, what)
    known_types(source, domain, names, node)
    return names


def _constants(source: Source, domain: Domain, node: Node) -> Domain:
    return replace(domain, constants=_typed_section(source, domain, node, "constant"))


def _signatures(source: Source, domain: Domain, node: Node, items: Iterable[Tree]) -> tuple[Predicate, ...]:
    found = []
    for item in items:
        if not isinstance(item, Node) or not item.head:
            raise source.error(node, f"expected '(name ?x ...)' in {node.head}")
        found.append(Predicate(item.head, _typed_section(source, domain, item, "parameter")))
    unique(source, [predicate.name for predicate in found], node, "name")
    return tuple(found)


def _predicates(source: Source, domain: Domain, node: Node) -> Domain:
    return replace(domain, predicates=_signatures(source, domain, node, node[1:]))


def _functions(source: Source, domain: Domain, node: Node) -> Domain:
    """Functions, each optionally followed by ``- number``."""
    items = [item for item in node[1:] if item not in ("-", "number")]
    return replace(domain, functions=_signatures(source, domain, node, items))


def _action(source: Source, domain: Domain, node: Node) -> Domain:
    name = symbol(source, node[1] if len(node) > 1 else node, node, "an action name")
    if name in domain.action_named:
        raise source.error(node, f"action '{name}' is declared twice", "rename one of the two")
    parts = _action_parts(source, node, name)
    parameters = _parameters(source, domain, parts.get(":parameters", Node(node.at)))
    types = {typed.name: typed.types for typed in (*domain.constants, *parameters)}
    scope = Scope(source, domain, types)
    preconditions = literals_of(scope, parts.get(":precondition", Node(node.at)))
    add, delete, cost = _effects(scope, parts.get(":effect", Node(node.at)))
    action = Action(name, parameters, preconditions, add, delete, cost)
    return replace(domain, actions=(*domain.actions, action))


def _action_parts(source: Source, node: Node, name: str) -> dict[str, Node]:
    """The keyword arguments of an action."""
    parts: dict[str, Node] = {}
    for key, value in zip(node[2::2], node[3::2], strict=False):
        if key not in (":parameters", ":precondition", ":effect") or not isinstance(value, Node):
            raise source.error(node, f"action '{name}': cannot read '{key}'")
        parts[str(key)] = value
    if len(node) % 2 or len(parts) != (len(node) - 2) // 2:
        raise source.error(node, f"action '{name}': keywords and their values do not pair up")
    return parts


def _parameters(source: Source, domain: Domain, node: Node) -> tuple[TypedName, ...]:
    parameters = typed_list(source, node, node)
    unique(source, [typed.name for typed in parameters], node, "parameter")
    known_types(source, domain, parameters, node)
    for typed in parameters:
        if not typed.name.startswith("?"):
            raise source.error(node, f"parameter '{typed.name}' must begin with '?'")
    return parameters


def _effects(scope: Scope, node: Node) -> tuple[frozenset[Atom], frozenset[Atom], int | Atom | None]:
    """Added atoms, deleted atoms and the cost of a conjunction of effects."""
    costs = [part for part in conjuncts(node) if isinstance(part, Node) and part.head == "increase"]
    if len(costs) > 1:
        raise scope.source.error(costs[1], "an action has at most one cost")
    cost = _cost(scope, costs[0]) if costs else None
    rest = Node(node.at)
    rest.extend(["and", *(part for part in conjuncts(node) if part not in costs)])
    effects = literals_of(scope, rest)
    if any(effect.atom[0] == EQUAL for effect in effects):
        raise scope.source.error(node, "'=' cannot be an effect")
    add = frozenset(effect.atom for effect in effects if effect.positive)
    return add, frozenset(effect.atom for effect in effects if not effect.positive), cost


def _cost(scope: Scope, node: Node) -> int | Atom:
    """What ``(increase (total-cost) x)`` adds."""
    if len(node) != 3 or node[1] != [TOTAL_COST]:
        raise scope.source.outside(node, "increase of anything but (total-cost)")
    amount = node[2]
    if isinstance(amount, str):
        return _integer(scope.source, amount, node)
    return function_term(scope, amount, node)


def _integer(source: Source, text: str, node: Node) -> int:
    if not text.isdecimal():
        raise source.error(node, f"'{text}' is not a non-negative integer")
    return int(text)


def read_problem(text: str, domain: Domain, source: str = "<problem>") -> Problem:
    """The problem of a PDDL text, checked against ``domain``.

    Negative literals in the initial state are accepted where no positive one contradicts them.

    Raises:
        PddlError: malformed text, unknown names, wrong arity or types, another domain's problem.
        OutsideSubset: constructs beyond the subset.
    """
    origin = Source(text, source)
    tree = parse(origin)
    name, sections = _define(origin, tree, "problem")
    by_head = {section.head: section for section in sections}
    for section in sections:
        if section.head not in (":domain", ":requirements", ":objects", ":init", ":goal", ":metric"):
            raise origin.outside(section, section.head)
    _same_domain(origin, domain, by_head.get(":domain", tree))
    objects = _objects(origin, domain, by_head.get(":objects", Node(tree.at)))
    scope = Scope(origin, domain, {typed.name: typed.types for typed in (*domain.constants, *objects)})
    init, costs = _init(scope, by_head.get(":init", Node(tree.at)))
    goal = _goal(scope, by_head.get(":goal"), tree)
    metric = _metric(origin, by_head.get(":metric"))
    return Problem(name, domain.name, objects, init, goal, costs, metric)


def _same_domain(source: Source, domain: Domain, node: Node) -> None:
    if node.head != ":domain" or node[1:] != [domain.name]:
        named = " ".join(str(item) for item in node[1:]) if node.head == ":domain" else "none"
        raise source.error(node, f"the problem names domain '{named}', expected '{domain.name}'")


def _objects(source: Source, domain: Domain, node: Node) -> tuple[TypedName, ...]:
    objects = _typed_section(source, domain, node, "object")
    constants = {constant.name for constant in domain.constants}
    for typed in objects:
        if typed.name in constants:
            raise source.error(node, f"object '{typed.name}' is already a constant of the domain")
        if typed.name.startswith("?"):
            raise source.error(node, f"object '{typed.name}' begins with '?' as a variable does")
    return objects


def _init(scope: Scope, node: Node) -> tuple[frozenset[Atom], frozenset[tuple[Atom, int]]]:
    """Initial facts and the initial values of functions."""
    facts: set[Atom] = set()
    absent: set[Atom] = set()
    costs: set[tuple[Atom, int]] = set()
    for item in node[1:]:
        if not isinstance(item, Node):
            raise scope.source.error(node, f"'{item}' in :init is not a fact", "add parentheses")
        if item.head == EQUAL:
            costs.add(_value(scope, item))
        elif item.head == "not" and len(item) == 2 and isinstance(item[1], Node):
            absent.add(atom(scope, item[1]))
        else:
            facts.add(atom(scope, item))
    if contradiction := sorted(facts & absent):
        raise scope.source.error(node, f"'{' '.join(contradiction[0])}' is stated both true and false")
    return frozenset(facts), frozenset(costs)


def _value(scope: Scope, node: Node) -> tuple[Atom, int]:
    """``(= (function arguments) number)``."""
    if len(node) != 3 or not isinstance(node[1], Node):
        raise scope.source.outside(node, "= between objects in :init")
    number = symbol(scope.source, node[2], node, "a number")
    return function_term(scope, node[1], node), _integer(scope.source, number, node)


def _goal(scope: Scope, node: Node | None, tree: Node) -> frozenset[Literal]:
    if node is None or len(node) != 2 or not isinstance(node[1], Node):
        raise scope.source.error(node or tree, "expected '(:goal (and ...))'")
    return literals_of(scope, node[1])


def _metric(source: Source, node: Node | None) -> bool:
    if node is None:
        return False
    if node[1:] not in (["minimize", [TOTAL_COST]], ["minimize", TOTAL_COST]):
        raise source.outside(node, "a metric other than (minimize (total-cost))")
    return True
