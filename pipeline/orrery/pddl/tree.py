"""Any PDDL text as one generic tree of lower-cased symbols that remembers where each list began."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias, Union

TOKEN = re.compile(r"[()]|[^\s();]+|;[^\n]*")

Tree: TypeAlias = Union[str, "Node"]


class Node(list[Tree]):
    """A parenthesised list; ``at`` is the offset of its opening parenthesis."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        """Start an empty list at offset ``at``."""
        super().__init__()
        self.at = at

    @property
    def head(self) -> str:
        """The leading symbol, or the empty string."""
        return self[0] if self and isinstance(self[0], str) else ""


def tokens(text: str) -> Iterator[tuple[int, str]]:
    """Yield offset and spelling (lower-cased) of every token of ``text``, comments left out."""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token[0] != ";":
            yield match.start(), token.lower()


def end_of(text: str, at: int) -> int:
    """Return the offset behind the list that begins at ``at``; the end of the text where none closes it."""
    depth = 0
    for offset, token in tokens(text[at:]):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0:
            return at + offset + 1
    return len(text)


def typed_groups(items: Iterable[Tree]) -> Iterator[tuple[list[Tree], Tree | None]]:
    """Yield the names of a typed list ``a b - t c`` with what stands for their type.

    That is None for the last names, which have none, and the empty string where nothing follows a hyphen.
    """
    names: list[Tree] = []
    rest = iter(items)
    for item in rest:
        if item == "-":
            yield names, next(rest, "")
            names = []
        else:
            names.append(item)
    yield names, None


def flattened(node: Node) -> Iterator[Tree]:
    """Yield the parts of a conjunction, nested ``and`` taken apart without recursion."""
    stack: list[Tree] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, Node) and item.head == "and":
            stack.extend(reversed(item[1:]))
        else:
            yield item
