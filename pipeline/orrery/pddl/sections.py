"""The sections of a domain, read one by one into lists; names declared twice are noted, the first counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from orrery.model import OBJECT, Predicate, TypedName
from orrery.pddl.adl import AND, CONNECTIVES, AdlAction, Formula
from orrery.pddl.faults import DomainErrorClass, FaultLog
from orrery.pddl.parse import ACTIONS
from orrery.pddl.tolerant_formulas import conjunction, typed_list
from orrery.pddl.tree import Node, Tree, typed_groups

_PRECONDITION, _EFFECT, _DURATION = ":precondition", ":effect", ":duration"
_SPELLINGS: Mapping[str, str] = MappingProxyType({":preconditions": _PRECONDITION, ":effects": _EFFECT})
_PARTS = (":parameters", _PRECONDITION, _EFFECT, _DURATION)


class Sections:
    """The declarations of the sections read so far."""

    def __init__(self, log: FaultLog) -> None:
        """Start without declarations."""
        self.log = log
        self.requirements: dict[str, None] = {}
        self.types: dict[str, TypedName] = {}
        self.constants: dict[str, TypedName] = {}
        self.predicates: dict[str, Predicate] = {}
        self.functions: dict[str, Predicate] = {}
        self.actions: list[AdlAction] = []
        self.other: list[Formula] = []
        self.places: dict[str, int] = {}
        self._action_names: set[str] = set()

    def read(self, node: Node) -> None:
        """Read one section; an unknown one is noted."""
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

    def _twice(self, at: int, what: str, mend: str) -> None:
        self.log.add(DomainErrorClass.DUPLICATE_DEFINITION, at, f"{what} is declared twice", mend)

    def _unknown(self, node: Node) -> None:
        if node.head:
            message = f"'{node.head}' is no section of a domain"
            self.log.add(DomainErrorClass.UNSUPPORTED_FEATURE, node.at, message, "remove it")
        else:
            self.log.parentheses(node.at, "a list without a leading word stands between the sections")

    def _requirements(self, node: Node) -> None:
        self.requirements.update(dict.fromkeys(item for item in node[1:] if isinstance(item, str)))

    def _types(self, node: Node) -> None:
        names = typed_list(self.log, node[1:], node, "type")
        self._declare(self.types, [typed for typed in names if typed.name != OBJECT], node, "type")

    def _constants(self, node: Node) -> None:
        self._declare(self.constants, typed_list(self.log, node[1:], node, "constant"), node, "constant")

    def _declare(
        self, known: dict[str, TypedName], names: Sequence[TypedName], node: Node, what: str
    ) -> None:
        for typed in names:
            if typed.name in known:
                self._twice(node.at, f"{what} '{typed.name}'", "remove one of the two")
            known.setdefault(typed.name, typed)

    def _predicates(self, node: Node) -> None:
        self._signatures(node[1:], node, "predicate", self.predicates)

    def _functions(self, node: Node) -> None:
        """Read numeric functions, ignoring the types they return."""
        signatures = [item for group, _ in typed_groups(node[1:]) for item in group]
        self._signatures(signatures, node, "function", self.functions)

    def _signatures(
        self, items: Sequence[Tree], parent: Node, what: str, known: dict[str, Predicate]
    ) -> None:
        for item in items:
            signature = self._signature(item, parent, what)
            if signature is None:
                continue
            if signature.name in known:
                at = item.at if isinstance(item, Node) else parent.at
                self._twice(at, f"{what} '{signature.name}'", "remove one of the two")
            known.setdefault(signature.name, signature)

    def _signature(self, item: Tree, parent: Node, what: str) -> Predicate | None:
        if isinstance(item, str):
            self.log.parentheses(parent.at, f"{what} '{item}' stands without parentheses", f"write ({item})")
            return None if item.startswith(("?", "-")) else Predicate(item)
        if not item.head:
            self.log.parentheses(item.at, f"a list without a name among the {what}s", "name it or remove it")
            return None
        return Predicate(item.head, typed_list(self.log, item[1:], item, "variable"))

    def _derived(self, node: Node) -> None:
        """Read ``(:derived (p ?x - t) condition)``, whose variables are those of the derived predicate."""
        lists = [item for item in node[1:] if isinstance(item, Node)]
        if len(lists) != len(node) - 1 or len(lists) != 2 or not lists[0].head:
            self.log.parentheses(node.at, "':derived' takes a predicate and one condition")
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
        if name in self._action_names:
            self._twice(node.at, f"action '{name}'", "rename one of the two")
        self._action_names.add(name)
        parts = self._parts(node, 2 if name else 1, name)
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

    def _parts(self, node: Node, start: int, name: str) -> dict[str, list[Tree]]:
        """Return what follows each keyword of an action, up to the next."""
        parts: dict[str, list[Tree]] = {}
        here: list[Tree] = []
        for item in node[start:]:
            if not isinstance(item, str) or item[0] != ":":
                if not parts:
                    self.log.parentheses(node.at, f"something stands before the keywords of action '{name}'")
                here.append(item)
                continue
            here = parts.setdefault(self._key(item, node, name), [])
            if here:
                self._twice(node.at, f"'{item}' of action '{name}'", "join the two")
        return parts

    def _key(self, word: str, node: Node, name: str) -> str:
        key = _SPELLINGS.get(word, word)
        if word == ":condition" and node.head == ":durative-action":
            return _PRECONDITION
        if key != word or key not in _PARTS:
            message = f"'{word}' of action '{name}'"
            mend = f"write {key}" if key != word else "remove it"
            self.log.add(DomainErrorClass.UNSUPPORTED_FEATURE, node.at, message, mend)
        return key

    def _parameters(self, items: list[Tree], node: Node) -> tuple[TypedName, ...]:
        listed = next((item for item in items if isinstance(item, Node)), Node(node.at))
        if items and (len(items) > 1 or items[0] is not listed):
            self.log.parentheses(node.at, "':parameters' takes one list", "put the parameters in parentheses")
            listed.extend(item for item in items if isinstance(item, str))
        return typed_list(self.log, listed, node, "parameter")


def _joined(log: FaultLog, items: Sequence[Tree], node: Node, timed: bool) -> tuple[Formula, ...]:
    """Return the conjunction of all formulas that stand where one should."""
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
