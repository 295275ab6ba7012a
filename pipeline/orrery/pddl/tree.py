"""Parse any PDDL text to a generic tree of lower-case symbols with the offsets of its lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias, Union

from orrery.pddl.faults import SourceText, SyntaxFault

TOKEN = re.compile(r"[()]|\??[^\s();?]+|\?|;[^\n]*")  # "?" begins a variable, also within "(adj?a?b)"
MAX_CHARACTERS = 20_000_000
MAX_DEPTH = 200_000

Tree: TypeAlias = Union[str, "Node"]


class Node(list[Tree]):
    """A parenthesised list; ``at`` is the offset of its opening parenthesis."""

    __slots__ = ("at",)

    def __init__(self, at: int, items: Iterable[Tree] = ()) -> None:
        """Create a list at offset ``at``."""
        super().__init__(items)
        self.at = at

    @property
    def head(self) -> str:
        """The first symbol, or the empty string."""
        return self[0] if self and isinstance(self[0], str) else ""


def tokens(text: str) -> Iterator[tuple[int, str]]:
    """Yield offset and (lower-case) text of every token of ``text``, without comments."""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token[0] != ";":
            yield match.start(), token.lower()


def parse(source: SourceText) -> Node:
    """Return the only top-level list of ``source``.

    Raises:
        PddlError: mismatched parentheses, text outside the list, more than ``MAX_CHARACTERS`` characters, or
            lists nested deeper than ``MAX_DEPTH``.
    """
    if len(source.text) > MAX_CHARACTERS:
        problem = f"the text is longer than {MAX_CHARACTERS} characters"
        raise source.error(MAX_CHARACTERS, problem, "give a smaller problem")
    outer = Node(0)
    stack = [outer]
    for match in TOKEN.finditer(source.text):
        token = match.group()
        if token == "(":
            node = Node(match.start())
            stack[-1].append(node)
            stack.append(node)
            if len(stack) > MAX_DEPTH:
                raise source.error(node.at, f"lists are nested deeper than {MAX_DEPTH}", "is a ')' missing?")
        elif token == ")":
            stack.pop()
            if not stack:
                raise source.error(match.start(), "')' closes nothing", "remove it", SyntaxFault.PARENTHESES)
        elif token[0] != ";":
            stack[-1].append(token.lower())
    return _only_list(source, outer, stack)


def _only_list(source: SourceText, outer: Node, stack: list[Node]) -> Node:
    """Return the only list of ``outer``, after all lists are closed."""
    if len(stack) > 1:
        raise source.error(
            stack[-1].at, "'(' is never closed", "add the missing ')'", SyntaxFault.PARENTHESES
        )
    if not outer:
        raise source.error(0, "expected '(define ...)' and found nothing")
    if len(outer) > 1 or not isinstance(outer[0], Node):
        raise source.error(
            _stray(source), "expected one '(define ...)' and found text outside it", "remove it"
        )
    return outer[0]


def _stray(source: SourceText) -> int:
    """Return the offset of the first token outside the first list."""
    depth = opened = 0
    for at, token in tokens(source.text):
        if depth == 0 and (token != "(" or opened):
            return at
        opened += token == "("
        depth += (token == "(") - (token == ")")
    return 0


def end_of(text: str, at: int) -> int:
    """Return the end of the list that begins at ``at``; for an unclosed list the end of the text."""
    depth = 0
    for offset, token in tokens(text[at:]):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0:
            return at + offset + 1
    return len(text)


def typed_groups(items: Iterable[Tree]) -> Iterator[tuple[list[Tree], Tree | None]]:
    """Yield the names of a typed list ``a b - t c``, each group with the tree of its type.

    The type is None for the last names if no hyphen follows them, and the empty string if nothing
    follows a hyphen.
    """
    names: list[Tree] = []
    remaining = iter(items)
    for item in remaining:
        if item == "-":
            yield names, next(remaining, "")
            names = []
        else:
            names.append(item)
    yield names, None


def flattened(node: Node) -> Iterator[Tree]:
    """Yield the parts of a conjunction; nested ``and`` is flattened without recursion."""
    stack: list[Tree] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, Node) and item.head == "and":
            stack.extend(reversed(item[1:]))
        else:
            yield item
