"""Recover the lists of a broken text, or of a text with prose around its PDDL.

The end of an unclosed list is found by words that occur at one level only: ``define`` at the
top, sections such as ``(:action`` inside it, keywords such as ``:effect`` inside an action.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orrery.pddl.faults import SourceText
from orrery.pddl.tree import Node, tokens

ACTIONS = frozenset({":action", ":durative-action", ":process", ":event", ":method", ":task"})
SECTIONS = ACTIONS | {
    ":requirements",
    ":types",
    ":constants",
    ":predicates",
    ":functions",
    ":derived",
    ":constraints",
    ":axiom",
    ":domain",
    ":objects",
    ":init",
    ":goal",
    ":metric",
}
KEYWORDS = frozenset(
    {
        ":parameters",
        ":precondition",
        ":preconditions",
        ":effect",
        ":effects",
        ":condition",
        ":duration",
        ":vars",
    }
)
_KEPT = SECTIONS | {"define", "domain", "problem"}
_FENCE = "```"
_OPENED = "'(' is never closed"
CUT = "the text ends before '(' is closed"
_CLOSED = "')' closes too much"


@dataclass(frozen=True, slots=True)
class Recovered:
    """The top-level lists in order, their ends, and the repaired places with their faults.

    ``closed`` maps the offset of each section to its end.
    """

    lists: tuple[Node, ...]
    ends: tuple[int, ...]
    closed: Mapping[int, int]
    mended: tuple[tuple[int, str], ...]
    text: str

    def text_of(self, section: Node) -> str:
        """Return the text of a section."""
        return self.text[section.at : self.closed.get(section.at, len(self.text))]


def recover(source: SourceText) -> Recovered:
    """Return all top-level lists of ``source``. Symbols between them are prose and omitted.

    No exception is raised; time is linear in the text.
    """
    reading = _Recovery()
    for at, token in tokens(source.text):
        reading.take(at, token)
    reading.close_all(len(source.text), CUT)
    lists = tuple(node for node in reading.outer if isinstance(node, Node))
    ends = tuple(reading.ends.get(node.at, len(source.text)) for node in lists)
    return Recovered(lists, ends, reading.ends, tuple(sorted(set(reading.mended))), source.text)


def sections_of(text: str, *, loose: bool = False) -> list[Node]:
    """Return the sections of all definitions in a text; with ``loose`` also sections outside a ``define``."""
    lists = recover(SourceText(text)).lists
    groups = [node if node.head == "define" else [node] for node in lists if loose or node.head == "define"]
    return [item for group in groups for item in group if isinstance(item, Node)]


class _Recovery:
    """The open lists, outermost first.

    ``defines`` and ``actions`` are the depths of open lists of these kinds. ``fresh`` is true while
    only ')' has followed the last top-level list.
    """

    def __init__(self) -> None:
        self.outer = Node(0)
        self.stack = [self.outer]
        self.defines: list[int] = []
        self.actions: list[int] = []
        self.ends: dict[int, int] = {}
        self.mended: list[tuple[int, str]] = []
        self.fresh = False

    def take(self, at: int, token: str) -> None:
        """Process the next token."""
        if token == "(":
            self._open(Node(at))
        elif token == ")":
            self._close(at)
        else:
            self._symbol(at, token)

    def _open(self, node: Node) -> None:
        self.stack[-1].append(node)
        self.stack.append(node)

    def _reopen(self, node: Node) -> None:
        """Reopen a closed list, so that the following tokens belong to it."""
        self.stack.append(node)
        self._mark(node.head)

    def _mark(self, head: str) -> None:
        if head == "define":
            self.defines.append(len(self.stack) - 1)
        elif head in ACTIONS:
            self.actions.append(len(self.stack) - 1)

    def _shrink(self, depth: int, at: int) -> None:
        """Close all but the outermost ``depth`` lists."""
        for node in self.stack[depth:]:
            if node.head in _KEPT:
                self.ends[node.at] = at
        del self.stack[depth:]
        while self.defines and self.defines[-1] >= depth:
            self.defines.pop()
        while self.actions and self.actions[-1] >= depth:
            self.actions.pop()
        if depth == 1 and self._last(self.outer).head not in _KEPT:
            self.outer.pop()  # a bracket of prose

    def _close(self, at: int) -> None:
        if len(self.stack) > 1:
            node = self.stack[-1]
            self._shrink(len(self.stack) - 1, at + 1)
            self.fresh = bool(self.outer) and self.outer[-1] is node
        elif self.fresh:
            self.mended.append((at, _CLOSED))

    def _symbol(self, at: int, token: str) -> None:
        top = self.stack[-1]
        if token.startswith(_FENCE):
            self.close_all(at, CUT)
        elif not top and len(self.stack) > 1:
            self._head(top, token)
        elif token in KEYWORDS and top.head not in ACTIONS:
            self._back_to_action(at)
        if len(self.stack) == 1:
            self.fresh = False
        elif token[:3] != _FENCE:
            self.stack[-1].append(token)

    def _head(self, node: Node, token: str) -> None:
        """Move a list that begins with a top-level word, or a word of a ``define``, to its level."""
        if token in SECTIONS or token == "define":
            del self.stack[-1]
            self.stack[-1].pop()
            if token == "define":
                self.close_all(node.at)
            else:
                self._to_define(node.at)
            self._open(node)
            self._mark(token)
        elif token in KEYWORDS:
            self._back_to_action(node.at)

    def _to_define(self, at: int) -> None:
        """Close lists, or reopen the last one, until the innermost is a ``define``, if there is one."""
        last = self._last(self.outer)
        if self.defines:
            self._close_to(self.defines[-1] + 1, at)
        elif len(self.stack) == 1 and self.fresh and last.head == "define":
            self.mended.append((self.ends[last.at] - 1, _CLOSED))
            self._reopen(last)
        else:
            self.close_all(at)

    def _back_to_action(self, at: int) -> None:
        """Close lists, or reopen the last action, so that a keyword is inside an action."""
        if self.actions:
            self._close_to(self.actions[-1] + 1, at)
            return
        last = self._last(self.stack[-1])
        if len(self.stack) == 1 and not self.fresh:
            return
        inner = self._last(last) if last.head == "define" and len(self.stack) == 1 else last
        if inner.head in ACTIONS:
            self.mended.append((self.ends[inner.at] - 1, _CLOSED))
            for node in [last, inner] if inner is not last else [inner]:
                self._reopen(node)

    def _last(self, items: Node) -> Node:
        """Return the last item of a list if it is a list itself, otherwise an empty list."""
        return items[-1] if items and isinstance(items[-1], Node) else Node(0)

    def _close_to(self, depth: int, at: int, reason: str = _OPENED) -> None:
        """Close lists until ``depth`` of them are open; the closed ones lacked a parenthesis."""
        if len(self.stack) > depth:
            self.mended.append((self.stack[-1].at, reason))
            self._shrink(depth, at)

    def close_all(self, at: int, reason: str = _OPENED) -> None:
        """Close all open lists.

        A list that is neither a ``define`` nor a section is prose and not a fault.
        """
        if self.defines or any(node.head in SECTIONS for node in self.stack[1:3]):
            self._close_to(1, at, reason)
        elif len(self.stack) > 1:
            self._shrink(1, at)
