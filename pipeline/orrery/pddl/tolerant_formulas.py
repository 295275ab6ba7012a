"""Typed lists and formulas, read as far as they can be; what cannot is logged, never raised."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orrery.model import OBJECT, TypedName
from orrery.pddl.adl import (
    AND,
    CONNECTIVES,
    DIALECTS,
    NOT,
    NUMERIC,
    QUANTIFIERS,
    Formula,
    Part,
    is_number,
)
from orrery.pddl.faults import DomainErrorClass, FaultLog
from orrery.pddl.tree import Node, Tree, flattened, typed_groups

DEEPEST = 60  # formulas nested deeper (conjunctions apart) are left out, and said to be
_GLUED = re.compile(r"-[a-z_].*")
_ARITY = {NOT: 1, "imply": 2, "when": 2}
_TIMES = {("at", "start"): "at start", ("at", "end"): "at end", ("over", "all"): "over all"}


def typed_list(log: FaultLog, items: Sequence[Tree], parent: Node, what: str) -> tuple[TypedName, ...]:
    """Return ``a b - t c`` as typed names in file order without repetition; no type means ``object``."""
    found: dict[str, TypedName] = {}
    for names, written in typed_groups(_unglued(log, items, parent)):
        types = (written is not None and _types(log, written, parent)) or (OBJECT,)
        for item in names:
            if isinstance(item, str):
                _check_name(log, item, item in found, parent, what)
                found.setdefault(item, TypedName(item, types))
            else:
                inside = ", ".join(part for part in item if isinstance(part, str))
                message = f"a list stands where the name of a {what} is expected"
                log.parentheses(item.at, message, f"it holds {inside}")
    return tuple(found.values())


def _check_name(log: FaultLog, name: str, known: bool, parent: Node, what: str) -> None:
    """Log a name that is declared already, or a variable without its mark."""
    if known:
        message = f"{what} '{name}' is declared twice"
        log.add(DomainErrorClass.DUPLICATE_DEFINITION, parent.at, message, "remove one of the two")
    elif what in ("parameter", "variable") and not name.startswith("?"):
        message = f"{what} '{name}' does not begin with '?'"
        log.add(DomainErrorClass.UNDEFINED_VARIABLE, parent.at, message, f"write ?{name}")


def _unglued(log: FaultLog, items: Sequence[Tree], parent: Node) -> Iterator[Tree]:
    """Yield the items, a hyphen without spaces separated from types and names."""
    for item in items:
        if not isinstance(item, str) or item == "-":
            yield item
        elif _GLUED.fullmatch(item):
            log.add(
                DomainErrorClass.UNDEFINED_TYPE, parent.at, f"'{item}' is one word", f"write - {item[1:]}"
            )
            yield from ("-", item[1:])
        elif item.endswith("-"):
            message = f"the hyphen of '{item}' sticks to the name"
            log.add(DomainErrorClass.UNDEFINED_TYPE, parent.at, message, f"write {item[:-1]} -")
            yield from (item.rstrip("-"), "-")
        else:
            yield item


def _types(log: FaultLog, item: Tree, parent: Node) -> tuple[str, ...]:
    """Return a type name, or those of ``(either ...)``, sorted; empty where there is none."""
    if not item:
        log.parentheses(parent.at, "'-' is not followed by a type")
        return ()
    if isinstance(item, str):
        return (item,)
    if item.head != "either":
        log.parentheses(item.at, "a list that is no (either ...) stands for a type")
    return tuple(sorted({part for part in item if isinstance(part, str)} - {"either"}))


def conjunction(log: FaultLog, node: Node, timed: bool = False) -> tuple[Formula, ...]:
    """Return the parts of a conjunction, nested ``and`` flattened; ``()`` has none."""
    found = (read_formula(log, item, node, 1, timed) for item in flattened(node) if item or item is not node)
    return tuple(formula for formula in found if formula is not None)


def read_formula(log: FaultLog, item: Tree, parent: Node, depth: int, timed: bool) -> Formula | None:
    """Return one formula, a bare name read as one; None where nothing of it can be read."""
    if isinstance(item, str):
        log.parentheses(parent.at, f"'{item}' stands where a condition is expected", "add parentheses")
        if item.startswith(("?", "-", ":")) or item in CONNECTIVES or item in NUMERIC or is_number(item):
            return None
        return Formula(item, at=parent.at)
    if depth > DEEPEST:
        log.add(DomainErrorClass.UNSUPPORTED_FEATURE, item.at, f"conditions nested more than {DEEPEST} deep")
        return None
    if not item:
        log.parentheses(item.at, "empty parentheses", "remove them")
        return None
    if not item.head:
        log.parentheses(
            item.at, "a list stands where a predicate is expected", "remove the outer parentheses"
        )
        return Formula(AND, _formulas(log, item, item, depth, timed), at=item.at)
    return _headed(log, item, depth, timed)


def _headed(log: FaultLog, node: Node, depth: int, timed: bool) -> Formula | None:
    """Return a formula by its leading word."""
    head = node.head
    when = node[1] if timed and len(node) == 3 and isinstance(node[2], Node) else None
    if isinstance(when, str) and (head, when) in _TIMES:
        return Formula(_TIMES[head, when], _formulas(log, node[2:], node, depth, timed), at=node.at)
    if head in QUANTIFIERS:
        return _quantified(log, node, depth, timed)
    if head in NUMERIC or head in DIALECTS or head not in CONNECTIVES:
        return Formula(head, tuple(_terms(log, node, depth, timed)), at=node.at)
    return _connected(log, node, depth, timed)


def _connected(log: FaultLog, node: Node, depth: int, timed: bool) -> Formula | None:
    """Return ``and``, ``or``, ``not``, ``imply`` or ``when`` with its parts."""
    head, wanted = node.head, _ARITY.get(node.head)
    if head == NOT and len(node) > 2 and all(isinstance(item, str) for item in node):
        log.parentheses(
            node.at,
            f"'not' holds words, not one condition: {' '.join(map(str, node))}",
            "write (not (p ...))",
        )
        inner = Formula(str(node[1]), tuple(map(str, node[2:])), at=node.at)
        return Formula(NOT, (inner,), at=node.at)
    parts = _formulas(log, node[1:], node, depth, timed)
    if wanted is not None and len(parts) != wanted:
        log.parentheses(node.at, f"'{head}' takes {wanted} conditions, found {len(parts)}")
        if len(parts) < wanted:
            return None
        parts = parts[:wanted]
    return Formula(head, parts, at=node.at)


def _formulas(
    log: FaultLog, items: Sequence[Tree], parent: Node, depth: int, timed: bool
) -> tuple[Formula, ...]:
    found = (read_formula(log, item, parent, depth + 1, timed) for item in items)
    return tuple(formula for formula in found if formula is not None)


def _quantified(log: FaultLog, node: Node, depth: int, timed: bool) -> Formula | None:
    """Return ``(forall (?x - t) formula)``."""
    listed = node[1] if len(node) > 1 else None
    if not isinstance(listed, Node) or not listed.head.startswith("?") or len(node) < 3:
        what = "variables in parentheses and one condition"
        log.parentheses(node.at, f"'{node.head}' takes {what}", f"write ({node.head} (?x) ...)")
        if not isinstance(listed, Node) or len(node) < 3:
            return None
    elif len(node) > 3:
        log.parentheses(
            node.at, f"'{node.head}' takes one condition, found {len(node) - 2}", "join them by 'and'"
        )
    variables = typed_list(log, listed, node, "variable")
    parts = _formulas(log, node[2:], node, depth, timed)
    return Formula(node.head, parts, variables, node.at) if parts else None


def _terms(log: FaultLog, node: Node, depth: int, timed: bool) -> Iterator[Part]:
    """Yield arguments of a predicate, function, comparison or change: names, numbers and function terms."""
    for item in node[1:]:
        if isinstance(item, str):
            yield item
        elif (part := read_formula(log, item, node, depth + 1, timed)) is not None:
            if node.head not in NUMERIC and node.head not in DIALECTS:
                message = f"an argument of '{node.head}' is a list, not a name: {part}"
                log.add(DomainErrorClass.UNSUPPORTED_FEATURE, item.at, message, "name the argument")
            yield part
