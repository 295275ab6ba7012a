"""Reader of the planning subset: STRIPS, types, negative preconditions, equality, action costs.

Whatever lies outside raises ``OutsideSubset``; whatever is unsound raises ``PddlError``. Both name
file, line and column. A requirement that is used but not declared is tolerated, as planners do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path

from orrery.model import EQUAL, OBJECT, Action, Atom, Domain, Literal, Predicate, Problem, TypedName
from orrery.pddl.faults import OutsideSubset, PddlError, SourceText, SyntaxFault
from orrery.pddl.logic import (
    Scope,
    atom,
    conjuncts,
    function_term,
    known_types,
    literals_of,
    natural,
    new_name,
    symbol,
    typed_list,
    unique,
)
from orrery.pddl.parse import parse
from orrery.pddl.requirements import KNOWN
from orrery.pddl.tree import Node, Tree, typed_groups

TOTAL_COST = "total-cost"
MAX_TYPES = 2_000

_ACTION_KEYWORDS = (":parameters", ":precondition", ":effect")
_PROBLEM_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")

__all__ = [
    "OutsideSubset",
    "PddlError",
    "read_domain",
    "read_domain_file",
    "read_problem",
    "read_problem_file",
    "text_of",
]


def read_domain_file(path: Path) -> Domain:
    """Return the domain of a file; errors as in ``read_domain`` and ``text_of``."""
    return read_domain(text_of(path), str(path))


def read_problem_file(path: Path, domain: Domain) -> Problem:
    """Return the problem of a file; errors as in ``read_problem`` and ``text_of``."""
    return read_problem(text_of(path), domain, str(path))


def text_of(path: Path) -> str:
    """Return the text of a PDDL file, line ends made one character, without a byte order mark.

    Raises:
        PddlError: the file is missing, cannot be read, or is not UTF-8.
    """
    try:
        content = path.read_bytes()
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise PddlError(str(path), f"cannot be read: {error}", "give a UTF-8 PDDL file") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        where = f"{path}:{line}:{error.start - content.rfind(bytes([10]), 0, error.start)}"
        raise PddlError(where, f"cannot be read: {error.reason}", "give a UTF-8 PDDL file") from error


def read_domain(text: str, source: str = "<domain>") -> Domain:
    """Return the domain of a PDDL text, names lower-cased, declarations in file order.

    Raises:
        PddlError: malformed text, undeclared or doubly declared names, wrong arity or types.
        OutsideSubset: constructs beyond the subset.
    """
    origin = SourceText(text, source)
    return domain_of(origin, parse(origin))


def domain_of(origin: SourceText, tree: Node) -> Domain:
    """Return the domain of a tree read from ``origin``; errors as in ``read_domain``."""
    name, sections = _define(origin, tree, "domain")
    domain = Domain(name, (), (), (), (), ())
    readers: dict[str, Callable[[SourceText, Domain, Node], Domain]] = {
        ":requirements": _requirements,
        ":types": _types,
        ":constants": _constants,
        ":predicates": _predicates,
        ":functions": _functions,
    }
    _known_sections(origin, sections, {*readers, ":action"})
    for head in readers:
        for section in [section for section in sections if section.head == head]:
            domain = readers[head](origin, domain, section)
    return replace(domain, actions=_actions(origin, domain, sections))


def _known_sections(source: SourceText, sections: list[Node], known: Collection[str]) -> None:
    for section in sections:
        if section.head not in known:
            raise source.outside(section, section.head)


def _actions(source: SourceText, domain: Domain, sections: list[Node]) -> tuple[Action, ...]:
    actions: dict[str, Action] = {}
    for section in [section for section in sections if section.head == ":action"]:
        action = _action(source, domain, section)
        if action.name in actions:
            raise source.error(section, f"action '{action.name}' is declared twice", "rename one of the two")
        actions[action.name] = action
    return tuple(actions.values())


def _define(source: SourceText, tree: Node, kind: str) -> tuple[str, list[Node]]:
    """Return name and sections of ``(define (kind name) ...)``; only actions may occur repeatedly."""
    title = tree[1] if len(tree) > 1 else None
    if tree.head != "define" or not isinstance(title, Node) or title.head != kind or len(title) != 2:
        raise source.error(tree, f"expected '(define ({kind} NAME) ...)'")
    sections = [item for item in tree[2:] if isinstance(item, Node) and item.head]
    if len(sections) != len(tree) - 2:
        raise source.error(tree, f"something in the {kind} is not a section such as '(:init ...)'")
    heads = [section.head for section in sections if section.head != ":action"]
    unique(source, heads, tree, "section")
    return new_name(source, title[1], title, kind), sections


def _requirements(source: SourceText, domain: Domain, node: Node) -> Domain:
    names = tuple(symbol(source, item, node, "a requirement") for item in node[1:])
    if unknown := [name for name in names if name not in KNOWN]:
        raise source.error(
            node, f"the requirement '{unknown[0]:.80}' is unknown", "drop it, or spell it right"
        )
    return replace(domain, requirements=names)


def _types(source: SourceText, domain: Domain, node: Node) -> Domain:
    """Return the declared types; ``object`` needs no declaration and has no parent."""
    listed = typed_list(source, node[1:], node, "type")
    if any(typed.name == OBJECT and typed.types != (OBJECT,) for typed in listed):
        raise source.error(node, "'object' is above every type and cannot have a parent")
    types = tuple(typed for typed in listed if typed.name != OBJECT)
    if len(types) > MAX_TYPES:
        raise source.error(node, f"there are more than {MAX_TYPES} types", "give fewer")
    domain = replace(domain, types=types)
    known_types(source, domain, types, node)
    for typed in types:
        # A type of a cycle is found among the ancestors of its own parent.
        if any(typed.name in domain.ancestors[parent] for parent in typed.types):
            raise source.error(node, f"type '{typed.name}' is its own ancestor", "break the cycle")
    return domain


def _typed_names(
    source: SourceText, domain: Domain, items: list[Tree], node: Node, what: str
) -> tuple[TypedName, ...]:
    """Read a typed list whose types are declared."""
    names = typed_list(source, items, node, what)
    known_types(source, domain, names, node)
    return names


def _constants(source: SourceText, domain: Domain, node: Node) -> Domain:
    return replace(domain, constants=_typed_names(source, domain, node[1:], node, "constant"))


def _signatures(
    source: SourceText, domain: Domain, node: Node, items: Iterable[Tree]
) -> tuple[Predicate, ...]:
    what = node.head[1:-1]  # predicate or function
    found = []
    for item in items:
        if not isinstance(item, Node) or not item.head:
            raise source.error(node, f"expected '(NAME ?x ...)' in {node.head}")
        name = new_name(source, item.head, item, what)
        found.append(Predicate(name, _typed_names(source, domain, item[1:], item, "parameter")))
    unique(source, [predicate.name for predicate in found], node, what)
    return tuple(found)


def _predicates(source: SourceText, domain: Domain, node: Node) -> Domain:
    return replace(domain, predicates=_signatures(source, domain, node, node[1:]))


def _functions(source: SourceText, domain: Domain, node: Node) -> Domain:
    """Return numeric functions; a type after some of them must be ``number`` and is dropped."""
    signatures: list[Tree] = []
    for group, kind in typed_groups(node[1:]):
        signatures += group
        if kind is not None and (kind != "number" or not signatures):
            written = f"'- {kind}' in :functions" if kind and isinstance(kind, str) else ":functions"
            raise source.outside(node, written)
    return replace(domain, functions=_signatures(source, domain, node, signatures))


def _action(source: SourceText, domain: Domain, node: Node) -> Action:
    """Return the action of ``(:action NAME ...)``, checked against the declarations of ``domain``.

    Raises:
        PddlError: malformed parts, unknown names, wrong arity or types.
        OutsideSubset: quantifiers, disjunctions, conditional or numeric effects, durations.
    """
    if len(node) < 2:
        raise source.error(node, "expected '(:action NAME ...)'")
    name = new_name(source, node[1], node, "action")
    parts = _action_parts(source, node, name)
    listed = parts.get(":parameters", Node(node.at))
    parameters = _typed_names(source, domain, listed, listed, "parameter")
    types = {typed.name: typed.types for typed in (*domain.constants, *parameters)}
    scope = Scope(source, domain, types)
    preconditions = literals_of(scope, parts.get(":precondition", Node(node.at)))
    add, delete, cost = _effects(scope, parts.get(":effect", Node(node.at)))
    return Action(name, parameters, preconditions, add, delete, cost)


def _action_parts(source: SourceText, node: Node, name: str) -> dict[str, Node]:
    """Return the keyword arguments of an action, all of them optional."""
    parts: dict[str, Node] = {}
    for position in range(2, len(node), 2):
        key = node[position]
        if not isinstance(key, str) or not key.startswith(":"):
            raise source.error(node, f"action '{name}': keywords and their values do not pair up")
        if key not in _ACTION_KEYWORDS:
            raise source.outside(node, f"{key} of an action")
        value = node[position + 1] if position + 1 < len(node) else None
        if key in parts or not isinstance(value, Node):
            raise source.error(node, f"action '{name}': '{key}' takes one list, once")
        parts[key] = value
    return parts


def _effects(scope: Scope, node: Node) -> tuple[frozenset[Atom], frozenset[Atom], int | Atom | None]:
    """Return added atoms, deleted atoms and the cost of a conjunction of effects."""
    costs: list[Node] = []
    logical = Node(node.at)
    logical.append("and")
    for part in conjuncts(node):
        is_cost = isinstance(part, Node) and part.head == "increase"
        (costs if is_cost else logical).append(part)  # type: ignore[arg-type]  # a cost is a Node
    if len(costs) > 1:
        raise scope.source.error(costs[1], "an action has at most one cost")
    effects = literals_of(scope, logical)
    if any(effect.atom[0] == EQUAL for effect in effects):
        raise scope.source.error(node, "'=' cannot be an effect")
    add = frozenset(effect.atom for effect in effects if effect.positive)
    delete = frozenset(effect.atom for effect in effects if not effect.positive)
    return add, delete, _cost(scope, costs[0]) if costs else None


def _cost(scope: Scope, node: Node) -> int | Atom:
    """Return the number that ``(increase (total-cost) x)`` adds."""
    if len(node) != 3 or not isinstance(node[1], Node):
        raise scope.source.error(node, "expected '(increase (total-cost) AMOUNT)'")
    if node[1].head != TOTAL_COST:
        raise scope.source.outside(node, "increase of anything but (total-cost)")
    function_term(scope, node[1], node)
    amount = node[2]
    if isinstance(amount, str):
        return natural(scope.source, amount, node)
    return function_term(scope, amount, node)


def read_problem(text: str, domain: Domain, source: str = "<problem>") -> Problem:
    """Return the problem of a PDDL text, checked against ``domain``.

    Negative literals in the initial state are accepted where no positive one contradicts them.

    Raises:
        PddlError: malformed text, unknown names, wrong arity or types, another domain's problem.
        OutsideSubset: constructs beyond the subset.
    """
    origin = SourceText(text, source)
    return problem_of(origin, parse(origin), domain)


def problem_of(origin: SourceText, tree: Node, domain: Domain) -> Problem:
    """Return the problem of a tree read from ``origin``; errors as in ``read_problem``."""
    name, sections = _define(origin, tree, "problem")
    _known_sections(origin, sections, _PROBLEM_SECTIONS)
    by_head = {section.head: section for section in sections}
    _same_domain(origin, domain, by_head.get(":domain", tree))
    objects = _objects(origin, domain, by_head.get(":objects", Node(tree.at)))
    scope = Scope(origin, domain, {typed.name: typed.types for typed in (*domain.constants, *objects)})
    if ":init" not in by_head:
        mend = "add '(:init ...)'"
        raise origin.error(tree, "the problem has no initial state", mend, SyntaxFault.MISSING_INIT)
    init, costs = _init(scope, by_head[":init"])
    goal = _goal(scope, by_head.get(":goal"), tree)
    metric = _metric(scope, by_head.get(":metric"))
    return Problem(name, domain.name, objects, init, goal, costs, metric)


def _same_domain(source: SourceText, domain: Domain, node: Node) -> None:
    if node.head != ":domain" or len(node) != 2:
        mend = f"add '(:domain {domain.name})'"
        raise source.error(node, "the problem must name its domain", mend, SyntaxFault.MISSING_DOMAIN)
    named = symbol(source, node[1], node, "the name of a domain")
    if named != domain.name:
        problem = f"the problem names domain '{named}', expected '{domain.name}'"
        raise source.error(node, problem, fault=SyntaxFault.WRONG_DOMAIN)


def _objects(source: SourceText, domain: Domain, node: Node) -> tuple[TypedName, ...]:
    objects = _typed_names(source, domain, node[1:], node, "object")
    constants = {constant.name for constant in domain.constants}
    for typed in objects:
        if typed.name in constants:
            problem = f"object '{typed.name}' is already a constant of the domain"
            raise source.error(node, problem, fault=SyntaxFault.DUPLICATE_OBJECT)
    return objects


def _init(scope: Scope, node: Node) -> tuple[frozenset[Atom], frozenset[tuple[Atom, int]]]:
    """Return initial facts and the initial values of functions."""
    facts: set[Atom] = set()
    absent: set[Atom] = set()
    costs: dict[Atom, int] = {}
    for item in node[1:]:
        if not isinstance(item, Node):
            raise scope.source.error(node, f"'{item}' in :init is not a fact", "add parentheses")
        if item.head == "and":
            mend = "remove 'and' and the parentheses around the facts"
            raise scope.source.error(item, "':init' lists its facts without 'and'", mend)
        if item.head == EQUAL:
            term, value = _value(scope, item)
            if costs.setdefault(term, value) != value:
                raise scope.source.error(item, f"'{' '.join(term)}' is given two values")
        else:
            literal = _initial_literal(scope, item)
            (facts if literal.positive else absent).add(literal.atom)
    if contradiction := sorted(facts & absent):
        problem = f"'{' '.join(contradiction[0])}' is stated both true and false"
        raise scope.source.error(node, problem, fault=SyntaxFault.CONTRADICTORY_INIT)
    return frozenset(facts), frozenset(costs.items())


def _initial_literal(scope: Scope, node: Node) -> Literal:
    """Return a fact, or ``(not fact)``, which only repeats its absence."""
    inner = node[1] if node.head == "not" and len(node) == 2 else node
    if not isinstance(inner, Node) or inner.head == EQUAL:
        raise scope.source.error(node, "'not' in :init takes one fact")
    return Literal(atom(scope, inner), positive=inner is node)


def _value(scope: Scope, node: Node) -> tuple[Atom, int]:
    """Return ``(= (function arguments) number)``."""
    if len(node) != 3 or not isinstance(node[1], Node):
        raise scope.source.error(node, "expected '(= (FUNCTION ...) NUMBER)'")
    number = symbol(scope.source, node[2], node, "a number")
    return function_term(scope, node[1], node), natural(scope.source, number, node)


def _goal(scope: Scope, node: Node | None, tree: Node) -> frozenset[Literal]:
    if node is None or len(node) != 2 or not isinstance(node[1], Node):
        fault = SyntaxFault.MALFORMED if node is not None and len(node) > 1 else SyntaxFault.MISSING_GOAL
        at = tree if node is None else node
        raise scope.source.error(at, "expected '(:goal (and ...))'", fault=fault)
    return literals_of(scope, node[1])


def _metric(scope: Scope, node: Node | None) -> bool:
    """Return whether the plan's total cost is to be minimised.

    Its parentheses are optional, as in some files.
    """
    if node is None:
        return False
    if len(node) != 3:
        raise scope.source.error(node, "expected '(:metric minimize (total-cost))'")
    if node[1] != "minimize" or node[2] not in ([TOTAL_COST], TOTAL_COST):
        raise scope.source.outside(node, "a metric other than (minimize (total-cost))")
    return True
