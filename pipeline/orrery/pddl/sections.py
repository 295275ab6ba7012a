"""Read the sections of a domain. A name declared twice is a fault, and its first declaration counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from orrery.model import OBJECT, Predicate, TypedName
from orrery.pddl.adl import AND, CONNECTIVES, AdlAction, AdlDomain, Formula
from orrery.pddl.faults import DomainErrorClass, FaultLog, SyntaxFault
from orrery.pddl.formulas import check_name, conjunction, typed_list
from orrery.pddl.recover import ACTIONS
from orrery.pddl.tree import Node, Tree, typed_groups

_PRECONDITION, _EFFECT, _DURATION = ":precondition", ":effect", ":duration"
_SPELLINGS = {":preconditions": _PRECONDITION, ":effects": _EFFECT}
MAX_TYPES = 2_000
_PARTS = (":parameters", _PRECONDITION, _EFFECT, _DURATION)
_USUAL = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")


def name_and_sections(log: FaultLog, tree: Node, kind: str) -> tuple[str, list[Node]]:
    """Return name and sections of ``(define (kind name) ...)``; the log must raise faults."""
    title = tree[1] if len(tree) > 1 else None
    if tree.head != "define" or not isinstance(title, Node) or title.head != kind or len(title) != 2:
        raise log.source.error(tree.at, f"expected '(define ({kind} NAME) ...)'")
    sections = [item for item in tree[2:] if isinstance(item, Node) and item.head]
    if len(sections) != len(tree) - 2:
        raise log.source.error(tree.at, f"a part of the {kind} is not a section such as '(:init ...)'")
    name = title[1]
    if isinstance(name, Node):
        raise log.source.error(name.at, f"a list stands where the {kind}'s name is expected")
    check_name(log, name, title.at, kind)
    return name, sections


class Sections:
    """The declarations of the sections read so far."""

    def __init__(self, log: FaultLog) -> None:
        """Create the reader without declarations.

        ``places`` are the offsets of sections by their heads, and of predicates and functions by the head
        of the section and their name.
        """
        self.log = log
        self.requirements: dict[str, None] = {}
        self.types: dict[str, TypedName] = {}
        self.constants: dict[str, TypedName] = {}
        self.predicates: dict[str, Predicate] = {}
        self.functions: dict[str, Predicate] = {}
        self.actions: list[AdlAction] = []
        self.other: list[Formula] = []
        self.places: dict[str, int] = {}
        self._action_named: dict[str, AdlAction] = {}

    def read(self, node: Node) -> None:
        """Read one section; record an unknown one as a fault."""
        head = node.head
        if head in self.places and head not in ACTIONS | {":derived"}:
            self._twice(node.at, f"section '{head}'", "join the two")
        self.places.setdefault(head, node.at)
        readers: Mapping[str, Callable[[Node], None]] = {
            ":requirements": self._requirements,
            ":types": self._types,
            ":constants": self._constants,
            ":predicates": self._predicates,
            ":functions": self._functions,
            ":derived": self._derived,
            ":constraints": self._constraints,
            **dict.fromkeys(ACTIONS - {":task", ":method"}, self._action),
        }
        readers.get(head, self._unknown)(node)

    def domain(self, name: str, text: str) -> AdlDomain:
        """Return the sections read so far as an unchecked domain."""
        return AdlDomain(
            name,
            tuple(self.requirements),
            tuple(self.types.values()),
            tuple(self.constants.values()),
            tuple(self.predicates.values()),
            tuple(self.functions.values()),
            tuple(self.actions),
            tuple(self.other),
            text,
        )

    def _twice(self, at: int, name: str, mend: str, *, lost: bool = False) -> None:
        fault = f"{name} is declared twice"
        self.log.add(DomainErrorClass.DUPLICATE_DEFINITION, at, fault, mend, lost=lost)

    def _unsupported(self, at: int, message: str, mend: str, misspelt: str = "", lost: bool = True) -> None:
        """Record a keyword that is not supported; ``misspelt`` suggests the keyword that may be meant."""
        fault = SyntaxFault.MALFORMED if misspelt else SyntaxFault.OUTSIDE_SUBSET
        self.log.add(DomainErrorClass.UNSUPPORTED_FEATURE, at, message, misspelt + mend, fault, lost=lost)

    def _unknown(self, node: Node) -> None:
        if node.head:
            misspelt = self.log.near(node.head, _USUAL)
            self._unsupported(node.at, f"'{node.head}' is no section of a domain", "remove it", misspelt)
        else:
            message = "a list without a leading word stands between the sections"
            self.log.parentheses(node.at, message, lost=bool(node))

    def _requirements(self, node: Node) -> None:
        for item in node[1:]:
            if isinstance(item, str):
                self.requirements[item] = None
            else:
                self.log.refuse(item.at, "a list stands where a requirement is expected")

    def _types(self, node: Node) -> None:
        """Read the declared types; ``object`` needs no declaration and has no parent."""
        names = typed_list(self.log, node[1:], node, "type")
        if any(typed.name == OBJECT and typed.types != (OBJECT,) for typed in names):
            self.log.refuse(node.at, "'object' is above every type and cannot have a parent")
        if len(names) > MAX_TYPES:
            self.log.refuse(node.at, f"there are more than {MAX_TYPES} types", "give fewer")
        self._declare(self.types, [typed for typed in names if typed.name != OBJECT], node, "type")

    def _constants(self, node: Node) -> None:
        self._declare(self.constants, typed_list(self.log, node[1:], node, "constant"), node, "constant")

    def _declare(
        self, declared: dict[str, TypedName], names: Sequence[TypedName], node: Node, kind: str
    ) -> None:
        for typed in names:
            if typed.name in declared:
                lost = typed != declared[typed.name]
                self._twice(node.at, f"{kind} '{typed.name}'", "remove one of the two", lost=lost)
            declared.setdefault(typed.name, typed)

    def _predicates(self, node: Node) -> None:
        self._signatures(node[1:], node, "predicate", self.predicates)

    def _functions(self, node: Node) -> None:
        """Read numeric functions; their return types are ignored."""
        signatures: list[Tree] = []
        for group, returned in typed_groups(node[1:]):
            signatures += group
            if returned is not None and (returned != "number" or not signatures):
                self.log.refuse_wider(
                    node.at, f"'- {returned}' in :functions" if isinstance(returned, str) else ":functions"
                )
        self._signatures(signatures, node, "function", self.functions)

    def _signatures(
        self, items: Sequence[Tree], parent: Node, kind: str, declared: dict[str, Predicate]
    ) -> None:
        for item in items:
            signature = self._signature(item, parent, kind)
            if signature is None:
                continue
            at = item.at if isinstance(item, Node) else parent.at
            self.places.setdefault(f"{parent.head} {signature.name}", at)
            if signature.name in declared:
                lost = signature != declared[signature.name]
                self._twice(at, f"{kind} '{signature.name}'", "remove one of the two", lost=lost)
            declared.setdefault(signature.name, signature)

    def _signature(self, item: Tree, parent: Node, kind: str) -> Predicate | None:
        if isinstance(item, str):
            message, lost = f"{kind} '{item}' stands without parentheses", item.startswith(("?", "-", ","))
            self.log.parentheses(parent.at, message, f"write ({item})", lost=lost)
            return None if lost else Predicate(item)
        if not item.head:
            message = f"a list without a name among the {kind}s"
            self.log.parentheses(item.at, message, "name it or remove it", lost=bool(item))
            return None
        check_name(self.log, item.head, item.at, kind)
        return Predicate(item.head, typed_list(self.log, item[1:], item, "argument"))

    def _derived(self, node: Node) -> None:
        """Read ``(:derived (p ?x - t) condition)``; its variables are those of the derived predicate."""
        lists = [item for item in node[1:] if isinstance(item, Node)]
        if len(lists) != len(node) - 1 or len(lists) != 2 or not lists[0].head:
            self.log.parentheses(node.at, "':derived' takes a predicate and one condition", lost=True)
            return
        variables = typed_list(self.log, lists[0][1:], lists[0], "variable")
        names = tuple(typed.name for typed in variables)
        derived = Formula(lists[0].head, names, at=lists[0].at)
        condition = conjunction(self.log, lists[1])
        self.other.append(Formula(node.head, (derived, *condition), variables, node.at))

    def _constraints(self, node: Node) -> None:
        items = [item for item in node[1:] if isinstance(item, Node)]
        self.other.append(Formula(node.head, _joined(self.log, items, node, False), at=node.at))

    def _action(self, node: Node) -> None:
        name = node[1] if len(node) > 1 and isinstance(node[1], str) and node[1][0] != ":" else ""
        if not name:
            self.log.parentheses(node.at, "an action without a name", f"write ({node.head} NAME ...)")
        check_name(self.log, name, node.at, "action")
        parts = self._parts(node, 2 if name else 1, name)
        for keyword in [keyword for keyword, items in parts.items() if not items]:
            self.log.refuse(node.at, f"action '{name}': nothing follows '{keyword}'", "write a list after it")
        timed = node.head == ":durative-action"
        conditions = {
            key: _joined(self.log, parts.get(key, []), node, timed) for key in (_PRECONDITION, _EFFECT)
        }
        duration = _joined(self.log, parts.get(_DURATION, []), node, False)
        action = AdlAction(
            name,
            self._parameters(parts.get(":parameters", []), node),
            tuple(Formula(_DURATION, (part,), at=part.at) for part in duration) + conditions[_PRECONDITION],
            conditions[_EFFECT],
            node.head,
            node.at,
        )
        self.actions.append(action)
        if (first := self._action_named.setdefault(name, action)) is not action:
            self._twice(node.at, f"action '{name}'", "rename one of the two", lost=action != first)

    def _parts(self, node: Node, start: int, name: str) -> dict[str, list[Tree]]:
        """Return the items between each keyword of an action and the next."""
        parts: dict[str, list[Tree]] = {}
        items: list[Tree] = []
        for item in node[start:]:
            if not isinstance(item, str) or item[0] != ":":
                if not parts:
                    message = f"something stands before the keywords of action '{name}'"
                    self.log.parentheses(node.at, message, lost=True)
                items.append(item)
                continue
            key = self._key(item, node, name)
            if parts.get(key) or (key in parts and self.log.raises):
                self._twice(node.at, f"'{item}' of action '{name}'", "join the two")
            items = parts.setdefault(key, [])
        return parts

    def _key(self, word: str, node: Node, name: str) -> str:
        key = _SPELLINGS.get(word, word)
        if word == ":condition" and node.head == ":durative-action":
            return _PRECONDITION
        if key != word or key not in _PARTS:
            message = f"'{word}' of action '{name}'"
            mend = f"write {key}" if key != word else "remove it"
            misspelt = self.log.near(word, _PARTS) if key == word else ""
            self._unsupported(node.at, message, mend, misspelt, lost=key == word)
        return key

    def _parameters(self, items: list[Tree], node: Node) -> tuple[TypedName, ...]:
        listed = next((item for item in items if isinstance(item, Node)), Node(node.at))
        if items and (len(items) > 1 or items[0] is not listed):
            self.log.parentheses(node.at, "':parameters' takes one list", "put the parameters in parentheses")
            others = [item for item in items if item is not listed]
            listed.extend(part for item in others for part in (item if isinstance(item, Node) else [item]))
        return typed_list(self.log, listed, listed, "parameter")


def _joined(log: FaultLog, items: Sequence[Tree], node: Node, timed: bool) -> tuple[Formula, ...]:
    """Return the conjunction of several formulas in place of one."""
    if not items:
        return ()
    first = items[0]
    if len(items) == 1 and isinstance(first, Node):
        return conjunction(log, first, timed)
    whole = Node(node.at)
    if isinstance(first, str):
        log.parentheses(node.at, f"'{first}' stands where a condition is expected", "add parentheses")
        whole.extend(
            items if first in CONNECTIVES or all(isinstance(i, str) for i in items) else [AND, *items]
        )
    else:
        log.parentheses(node.at, "several conditions stand where one is expected", "join them by 'and'")
        whole.extend([AND, *items])
    return conjunction(log, whole, timed)
