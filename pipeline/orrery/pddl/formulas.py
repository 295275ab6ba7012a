"""Read typed lists and formulas. Faults go to a log, which raises the first or collects them."""

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
from orrery.pddl.faults import DomainErrorClass, FaultLog, SyntaxFault
from orrery.pddl.tree import Node, Tree, flattened, typed_groups

DEEPEST = 60  # maximum nesting of formulas (without conjunctions); deeper ones are faults and omitted
VARIABLES = frozenset({"parameter", "variable", "argument"})
RESERVED = frozenset({"and", "not", "or", "imply", "forall", "exists", "when", "increase"})
_NAME = re.compile(r"[a-z0-9_][a-z0-9_-]*")
_GLUED = re.compile(r"-[a-z_].*")
_ARITY = {NOT: 1, "imply": 2, "when": 2}
_TIMES = {("at", "start"): "at start", ("at", "end"): "at end", ("over", "all"): "over all"}


def typed_list(log: FaultLog, items: Sequence[Tree], parent: Node, kind: str) -> tuple[TypedName, ...]:
    """Return ``a b - t c`` as typed names in file order; no type means ``object``.

    ``kind`` is the kind of the names: ``object``, ``type``, ``parameter`` ... A name that stands twice is a
    fault and is left out, except in the declaration of a predicate or function (``argument``), where names
    mean nothing.
    """
    typed: list[TypedName] = []
    declared: set[str] = set()
    # Strictly, a hyphen within a word is part of a name.
    for names, written in typed_groups(items if log.raises else _unglued(log, items, parent)):
        if written is not None and not names:
            log.refuse(parent.at, "'-' needs names before it and a type after it")
        types = (written is not None and _types(log, written, parent, kind)) or (OBJECT,)
        for item in names:
            if isinstance(item, str):
                is_declared = item in declared and kind != "argument"
                _check_in_list(log, item, is_declared, parent, kind)
                declared.add(item)
                typed += [] if is_declared else [TypedName(item, types)]
            else:
                inside = ", ".join(part for part in item if isinstance(part, str))
                message = f"a list stands where the name of a {kind} is expected"
                log.parentheses(item.at, message, f"it holds {inside}", lost=True)
    return tuple(typed)


def _check_in_list(log: FaultLog, name: str, is_declared: bool, parent: Node, kind: str) -> None:
    """Log a name that is already declared, a variable without its mark, or an invalid name."""
    if is_declared:
        message = f"{kind} '{name}' is declared twice"
        fault = SyntaxFault.DUPLICATE_OBJECT if kind == "object" else SyntaxFault.MALFORMED
        log.add(DomainErrorClass.DUPLICATE_DEFINITION, parent.at, message, "remove one of the two", fault)
    elif name.startswith("-") and log.raises:
        log.refuse(
            parent.at, f"'{name}' is no type", f"write '- {name[1:]}': the hyphen is a word of its own"
        )
    elif kind in VARIABLES and not name.startswith("?"):
        message = f"{kind} '{name}' does not begin with '?'"
        log.add(DomainErrorClass.UNDEFINED_VARIABLE, parent.at, message, f"write ?{name}")
    else:
        check_name(log, name, parent.at, kind)


def check_name(log: FaultLog, name: str, at: int, kind: str) -> None:
    """Refuse an invalid name of a new ``kind``, such as ``object`` or ``predicate``.

    Names may begin with a digit. PDDL forbids it, but published problems use it.
    """
    if not _NAME.fullmatch(name[1:] if kind in VARIABLES else name):
        mend = "use the letters a-z, digits, '-' and '_'"
        log.refuse(at, f"'{name:.80}' is no sound {kind} name", mend)
    if kind == "predicate" and name in RESERVED:
        log.refuse(at, f"'{name}' is a word of PDDL, not a predicate name", "rename it")


def _unglued(log: FaultLog, items: Sequence[Tree], parent: Node) -> Iterator[Tree]:
    """Yield the items, with hyphens without spaces separated from types and names."""
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


def _types(log: FaultLog, item: Tree, parent: Node, kind: str) -> tuple[str, ...]:
    """Return a type name, or those of ``(either ...)``, sorted; empty if there is none."""
    if not item:
        log.parentheses(parent.at, "'-' is not followed by a type")
        return ()
    if isinstance(item, str):
        return (item,)
    if item.head != "either":
        log.parentheses(item.at, "a list that is no (either ...) stands for a type")
    if kind not in VARIABLES:
        # PDDL does not define whether such an object has all of the types or an unknown one of them.
        log.refuse_wider(item.at, f"(either ...) as the type of a {kind}")
    if len(item) < 2 or not all(isinstance(part, str) for part in item):
        log.refuse(item.at, "expected the names of types in '(either ...)'")
    names = item[1:] if item.head == "either" else item
    return tuple(sorted({name for name in names if isinstance(name, str)}))


def conjunction(log: FaultLog, node: Node, timed: bool = False) -> tuple[Formula, ...]:
    """Return the parts of a conjunction, with nested ``and`` flattened; ``()`` has none."""
    parts = (item for item in flattened(node) if item or not (item is node or log.raises))
    formulas = (read_formula(log, item, node, 1, timed) for item in parts)
    return tuple(formula for formula in formulas if formula is not None)


def read_formula(log: FaultLog, item: Tree, parent: Node, depth: int, timed: bool) -> Formula | None:
    """Return one formula; a bare name counts as a formula. Return None if no part can be read."""
    if isinstance(item, str):
        is_name = not item.startswith(("?", "-", ":", ",")) and item not in CONNECTIVES | NUMERIC
        lost = not is_name or is_number(item)
        message = f"'{item}' stands where a condition is expected"
        log.parentheses(parent.at, message, "add parentheses", lost=lost)
        return None if lost else Formula(item, at=parent.at)
    if depth > DEEPEST:
        message = f"conditions nested more than {DEEPEST} deep"
        fault = SyntaxFault.OUTSIDE_SUBSET
        log.add(DomainErrorClass.UNSUPPORTED_FEATURE, item.at, message, fault=fault, lost=True)
        return None
    if not item:
        log.parentheses(item.at, "empty parentheses", "remove them")
        return None
    if not item.head:
        mend = "remove the outer parentheses" if len(item) == 1 else "join its conditions by 'and'"
        log.parentheses(item.at, "a list stands where a predicate is expected", mend)
        return Formula(AND, _formulas(log, item, item, depth, timed), at=item.at)
    return _headed(log, item, depth, timed)


def _headed(log: FaultLog, node: Node, depth: int, timed: bool) -> Formula | None:
    """Return a formula by its first word."""
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
        log.parentheses(node.at, f"'{head}' takes {wanted} conditions, found {len(parts)}", lost=True)
        if len(parts) < wanted:
            return None
        parts = parts[:wanted]
    return Formula(head, parts, at=node.at)


def _formulas(
    log: FaultLog, items: Sequence[Tree], parent: Node, depth: int, timed: bool
) -> tuple[Formula, ...]:
    formulas = (read_formula(log, item, parent, depth + 1, timed) for item in items)
    return tuple(formula for formula in formulas if formula is not None)


def _quantified(log: FaultLog, node: Node, depth: int, timed: bool) -> Formula | None:
    """Return ``(forall (?x - t) formula)``."""
    listed = node[1] if len(node) > 1 else None
    if not isinstance(listed, Node) or not listed.head.startswith("?") or len(node) < 3:
        expected = "variables in parentheses and one condition"
        log.parentheses(node.at, f"'{node.head}' takes {expected}", f"write ({node.head} (?x) ...)")
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
