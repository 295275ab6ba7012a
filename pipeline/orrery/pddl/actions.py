"""Reader of ``(:action ...)``: parameters, preconditions, effects, cost."""

from __future__ import annotations

from orrery.model import EQUAL, Action, Atom, Domain, TypedName
from orrery.pddl.logic import (
    Scope,
    conjuncts,
    function_term,
    known_types,
    literals_of,
    natural,
    new_name,
    typed_list,
)
from orrery.pddl.tree import Node, SourceText

TOTAL_COST = "total-cost"

_KEYWORDS = (":parameters", ":precondition", ":effect")


def read_action(source: SourceText, domain: Domain, node: Node) -> Action:
    """The action of ``(:action NAME ...)``, checked against the declarations of ``domain``.

    Raises:
        PddlError: malformed parts, unknown names, wrong arity or types.
        OutsideSubset: quantifiers, disjunctions, conditional or numeric effects, durations.
    """
    if len(node) < 2:
        raise source.error(node, "expected '(:action NAME ...)'")
    name = new_name(source, node[1], node, "action")
    parts = _parts(source, node, name)
    parameters = _parameters(source, domain, parts.get(":parameters", Node(node.at)))
    types = {typed.name: typed.types for typed in (*domain.constants, *parameters)}
    scope = Scope(source, domain, types)
    preconditions = literals_of(scope, parts.get(":precondition", Node(node.at)))
    add, delete, cost = _effects(scope, parts.get(":effect", Node(node.at)))
    return Action(name, parameters, preconditions, add, delete, cost)


def _parts(source: SourceText, node: Node, name: str) -> dict[str, Node]:
    """The keyword arguments of an action; each may be left out."""
    parts: dict[str, Node] = {}
    for position in range(2, len(node), 2):
        key = node[position]
        if not isinstance(key, str) or not key.startswith(":"):
            raise source.error(node, f"action '{name}': keywords and their values do not pair up")
        if key not in _KEYWORDS:
            raise source.outside(node, f"{key} of an action")
        value = node[position + 1] if position + 1 < len(node) else None
        if key in parts or not isinstance(value, Node):
            raise source.error(node, f"action '{name}': '{key}' takes one list, once")
        parts[key] = value
    return parts


def _parameters(source: SourceText, domain: Domain, node: Node) -> tuple[TypedName, ...]:
    parameters = typed_list(source, node, node, "parameter")
    known_types(source, domain, parameters, node)
    return parameters


def _effects(scope: Scope, node: Node) -> tuple[frozenset[Atom], frozenset[Atom], int | Atom | None]:
    """Added atoms, deleted atoms and the cost of a conjunction of effects."""
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
    """What ``(increase (total-cost) x)`` adds."""
    if len(node) != 3 or not isinstance(node[1], Node):
        raise scope.source.error(node, "expected '(increase (total-cost) AMOUNT)'")
    if node[1].head != TOTAL_COST:
        raise scope.source.outside(node, "increase of anything but (total-cost)")
    function_term(scope, node[1], node)
    amount = node[2]
    if isinstance(amount, str):
        return natural(scope.source, amount, node)
    return function_term(scope, amount, node)
