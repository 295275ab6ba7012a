"""Typed lists and formulas, read as far as they can be; what cannot is noted, never raised."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from orrery.model import OBJECT, TypedName
from orrery.pddl.adl import (
    AND,
    CONNECTIVES,
    DIALECTS,
    NOT,
    NUMERIC,
    QUANTIFIERS,
    DomainErrorClass,
    DomainFault,
    Formula,
    Part,
)
from orrery.pddl.tree import Node, SourceText, Tree

DEEPEST = 60  # formulas nested deeper (conjunctions apart) are left out, and said to be
MOST_OF_A_CLASS = 20
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([e][-+]?\d+)?")
_GLUED = re.compile(r"-[a-z_].*")
_ARITY = {NOT: 1, "imply": 2, "when": 2}
_TIMES = {("at", "start"): "at start", ("at", "end"): "at end", ("over", "all"): "over all"}


class Notes:
    """Collects the faults of one text; of one class no more than twenty, so that none fills the report."""

    def __init__(self, source: SourceText) -> None:
        """Prepare to say where the offsets of ``source`` lie."""
        self.name = source.name
        lines = source.text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self._found: list[tuple[int, DomainErrorClass, str, str]] = []
        self._seen: set[tuple[DomainErrorClass, str]] = set()
        self._counts: Counter[DomainErrorClass] = Counter()

    def add(self, kind: DomainErrorClass, at: int, message: str, mend: str = "") -> None:
        """Note a fault at an offset; the same words are noted once."""
        if (kind, message) not in self._seen and self._counts[kind] < MOST_OF_A_CLASS:
            self._seen.add((kind, message))
            self._counts[kind] += 1
            self._found.append((at, kind, message, mend))

    def place(self, at: int) -> str:
        """``name:line:column``, counted from one."""
        line = bisect_right(self._starts, at)
        return f"{self.name}:{line}:{at - self._starts[line - 1] + 1}"

    def faults(self) -> tuple[DomainFault, ...]:
        """All faults in the order of their places."""
        return tuple(
            DomainFault(kind, self.place(at), what, mend) for at, kind, what, mend in sorted(self._found)
        )

    def parentheses(self, at: int, message: str, mend: str = "") -> None:
        """Note a fault of the class that malformed lists have."""
        self.add(DomainErrorClass.INCORRECT_PARENTHESES, at, message, mend)


def is_number(text: str) -> bool:
    """Whether a symbol is a number."""
    return _NUMBER.fullmatch(text) is not None


def typed_list(notes: Notes, items: Sequence[Tree], parent: Node, what: str) -> tuple[TypedName, ...]:
    """``a b - t c`` as typed names in file order, names given twice once; no type means ``object``."""
    found: dict[str, TypedName] = {}
    waiting: list[str] = []
    rest = _unglued(notes, items, parent)
    for item in rest:
        if isinstance(item, Node):
            inside = ", ".join(part for part in item if isinstance(part, str))
            notes.parentheses(
                item.at, f"a list stands where the name of a {what} is expected", f"it holds {inside}"
            )
            continue
        if item != "-":
            waiting.append(item)
            continue
        types = _types(notes, next(rest, None), parent)
        _declare(notes, found, waiting, types or (OBJECT,), parent, what)
    _declare(notes, found, waiting, (OBJECT,), parent, what)
    return tuple(found.values())


def _declare(
    notes: Notes,
    found: dict[str, TypedName],
    waiting: list[str],
    types: tuple[str, ...],
    parent: Node,
    what: str,
) -> None:
    for name in waiting:
        if name in found:
            message = f"{what} '{name}' is declared twice"
            notes.add(DomainErrorClass.DUPLICATE_DEFINITION, parent.at, message, "remove one of the two")
        elif what in ("parameter", "variable") and not name.startswith("?"):
            message = f"{what} '{name}' does not begin with '?'"
            notes.add(DomainErrorClass.UNDEFINED_VARIABLE, parent.at, message, f"write ?{name}")
        found.setdefault(name, TypedName(name, types))
    waiting.clear()


def _unglued(notes: Notes, items: Sequence[Tree], parent: Node) -> Iterator[Tree]:
    """The items, with a hyphen that sticks to a type or to a name taken apart."""
    for item in items:
        if not isinstance(item, str) or item == "-":
            yield item
        elif _GLUED.fullmatch(item):
            notes.add(
                DomainErrorClass.UNDEFINED_TYPE, parent.at, f"'{item}' is one word", f"write - {item[1:]}"
            )
            yield from ("-", item[1:])
        elif item.endswith("-"):
            message = f"the hyphen of '{item}' sticks to the name"
            notes.add(DomainErrorClass.UNDEFINED_TYPE, parent.at, message, f"write {item[:-1]} -")
            yield from (item.rstrip("-"), "-")
        else:
            yield item


def _types(notes: Notes, item: Tree | None, parent: Node) -> tuple[str, ...]:
    """A type name, or those of ``(either ...)``, sorted; empty where there is none."""
    if isinstance(item, str):
        return (item,)
    if item is None or not item:
        notes.parentheses(parent.at, "'-' is not followed by a type")
        return ()
    if item.head != "either":
        notes.parentheses(item.at, "a list that is no (either ...) stands for a type")
    return tuple(sorted({part for part in item if isinstance(part, str)} - {"either"}))


def conjunction(notes: Notes, node: Node, timed: bool = False) -> tuple[Formula, ...]:
    """The parts of a conjunction, nested ``and`` flattened without recursion; ``()`` has none."""
    found: list[Formula] = []
    stack: list[Tree] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, Node) and item.head == AND:
            stack.extend(reversed(item[1:]))
        elif isinstance(item, Node) and not item and item is node:
            continue
        elif (formula := read_formula(notes, item, node, 1, timed)) is not None:
            found.append(formula)
    return tuple(found)


def read_formula(notes: Notes, item: Tree, parent: Node, depth: int, timed: bool) -> Formula | None:
    """One formula, or None where nothing of it can be read; a name without parentheses is read as one."""
    if isinstance(item, str):
        notes.parentheses(parent.at, f"'{item}' stands where a condition is expected", "add parentheses")
        if item.startswith(("?", "-", ":")) or item in CONNECTIVES or item in NUMERIC or is_number(item):
            return None
        return Formula(item, at=parent.at)
    if depth > DEEPEST:
        notes.add(
            DomainErrorClass.UNSUPPORTED_FEATURE, item.at, f"conditions nested more than {DEEPEST} deep"
        )
        return None
    if not item:
        notes.parentheses(item.at, "empty parentheses", "remove them")
        return None
    if not item.head:
        notes.parentheses(
            item.at, "a list stands where a predicate is expected", "remove the outer parentheses"
        )
        return Formula(AND, _formulas(notes, item, item, depth, timed), at=item.at)
    return _headed(notes, item, depth, timed)


def _headed(notes: Notes, node: Node, depth: int, timed: bool) -> Formula | None:
    """A formula by its leading word."""
    head = node.head
    when = node[1] if timed and len(node) == 3 and isinstance(node[2], Node) else None
    if isinstance(when, str) and (head, when) in _TIMES:
        return Formula(_TIMES[head, when], _formulas(notes, node[2:], node, depth, timed), at=node.at)
    if head in QUANTIFIERS:
        return _quantified(notes, node, depth, timed)
    if head in NUMERIC or head in DIALECTS or head not in CONNECTIVES:
        return Formula(head, tuple(_terms(notes, node, depth, timed)), at=node.at)
    return _connected(notes, node, depth, timed)


def _connected(notes: Notes, node: Node, depth: int, timed: bool) -> Formula | None:
    """``and``, ``or``, ``not``, ``imply`` or ``when`` with its parts."""
    head, wanted = node.head, _ARITY.get(node.head)
    if head == NOT and len(node) > 2 and all(isinstance(item, str) for item in node):
        notes.parentheses(
            node.at,
            f"'not' holds words, not one condition: {' '.join(map(str, node))}",
            "write (not (p ...))",
        )
        inner = Formula(str(node[1]), tuple(map(str, node[2:])), at=node.at)
        return Formula(NOT, (inner,), at=node.at)
    parts = _formulas(notes, node[1:], node, depth, timed)
    if wanted is not None and len(parts) != wanted:
        notes.parentheses(node.at, f"'{head}' takes {wanted} conditions, found {len(parts)}")
        if len(parts) < wanted:
            return None
        parts = parts[:wanted]
    return Formula(head, parts, at=node.at)


def _formulas(
    notes: Notes, items: Sequence[Tree], parent: Node, depth: int, timed: bool
) -> tuple[Formula, ...]:
    found = (read_formula(notes, item, parent, depth + 1, timed) for item in items)
    return tuple(formula for formula in found if formula is not None)


def _quantified(notes: Notes, node: Node, depth: int, timed: bool) -> Formula | None:
    """``(forall (?x - t) formula)``."""
    listed = node[1] if len(node) > 1 else None
    if not isinstance(listed, Node) or not listed.head.startswith("?") or len(node) < 3:
        what = "variables in parentheses and one condition"
        notes.parentheses(node.at, f"'{node.head}' takes {what}", f"write ({node.head} (?x) ...)")
        if not isinstance(listed, Node) or len(node) < 3:
            return None
    elif len(node) > 3:
        notes.parentheses(
            node.at, f"'{node.head}' takes one condition, found {len(node) - 2}", "join them by 'and'"
        )
    variables = typed_list(notes, listed, node, "variable")
    parts = _formulas(notes, node[2:], node, depth, timed)
    return Formula(node.head, parts, variables, node.at) if parts else None


def _terms(notes: Notes, node: Node, depth: int, timed: bool) -> Iterator[Part]:
    """Arguments of a predicate, function, comparison or change: names, numbers and function terms."""
    for item in node[1:]:
        if isinstance(item, str):
            yield item
        elif (part := read_formula(notes, item, node, depth + 1, timed)) is not None:
            if node.head not in NUMERIC and node.head not in DIALECTS:
                message = f"an argument of '{node.head}' is a list, not a name: {part}"
                notes.add(DomainErrorClass.UNSUPPORTED_FEATURE, item.at, message, "name the argument")
            yield part
