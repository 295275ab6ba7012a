"""Any PDDL text as one generic tree of lower-cased symbols that remembers where each list began."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias, Union

from orrery.model import OrreryError

_TOKEN = re.compile(r"[()]|[^\s();]+|;[^\n]*")

Tree: TypeAlias = Union[str, "Node"]


class SyntaxFault(StrEnum):
    """What is wrong with a text, in classes that can be counted."""

    PARENTHESES = "incorrect-parentheses"
    MALFORMED = "malformed"
    OUTSIDE_SUBSET = "outside-subset"
    UNKNOWN_PREDICATE = "unknown-predicate"
    WRONG_ARITY = "wrong-arity"
    UNKNOWN_OBJECT = "unknown-object"
    DUPLICATE_OBJECT = "duplicate-object"
    UNKNOWN_TYPE = "unknown-type"
    WRONG_TYPE = "wrong-type"
    MISSING_DOMAIN = "missing-domain"
    WRONG_DOMAIN = "wrong-domain"
    MISSING_INIT = "missing-init"
    CONTRADICTORY_INIT = "contradictory-init"
    MISSING_GOAL = "missing-goal"


class PddlError(OrreryError):
    """PDDL text that cannot be read; ``where`` is ``file:line:column``, ``fault`` the class of the error."""

    def __init__(
        self, where: str, problem: str, mend: str = "", fault: SyntaxFault = SyntaxFault.MALFORMED
    ) -> None:
        """As for every error, with its class."""
        super().__init__(where, problem, mend)
        self.fault = fault

    def __reduce__(self) -> tuple[type[PddlError], tuple[str, str, str, SyntaxFault]]:  # type: ignore[override]
        """Survive the trip back from a worker process."""
        return type(self), (self.where, self.problem, self.mend, self.fault)


class OutsideSubset(PddlError):
    """Sound PDDL, but of a language wider than STRIPS with types, negation, equality and costs."""


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


class SourceText:
    """A text with its name, able to say where an offset lies."""

    __slots__ = ("name", "text")

    def __init__(self, text: str, name: str = "<text>") -> None:
        """Keep the text as given; ``name`` is usually a file name."""
        self.text, self.name = text, name

    def place(self, offset: int) -> str:
        """``name:line:column``, counted from one."""
        line = self.text.count("\n", 0, offset) + 1
        return f"{self.name}:{line}:{offset - self.text.rfind(chr(10), 0, offset)}"

    def error(
        self, at: Node | int, problem: str, mend: str = "", fault: SyntaxFault = SyntaxFault.MALFORMED
    ) -> PddlError:
        """An error at a node or offset, for the caller to raise."""
        return PddlError(self.place(at if isinstance(at, int) else at.at), problem, mend, fault)

    def outside(self, at: Node, construct: str) -> OutsideSubset:
        """The error for a construct that the planning subset leaves out."""
        return OutsideSubset(
            self.place(at.at),
            f"'{construct}' is outside the supported subset of PDDL",
            "use :strips with :typing, :negative-preconditions, :equality and :action-costs",
            SyntaxFault.OUTSIDE_SUBSET,
        )


def tokens(source: SourceText) -> Iterator[tuple[int, str]]:
    """Offset and spelling (lower-cased) of every token of ``source``, comments left out."""
    for match in _TOKEN.finditer(source.text):
        token = match.group()
        if token[0] != ";":
            yield match.start(), token.lower()


def parse(source: SourceText) -> Node:
    """The one top-level list of ``source``.

    Raises:
        PddlError: where parentheses do not match, or text stands outside the list.
    """
    outer = Node(0)
    stack = [outer]
    for match in _TOKEN.finditer(source.text):
        token = match.group()
        if token == "(":
            node = Node(match.start())
            stack[-1].append(node)
            stack.append(node)
        elif token == ")":
            stack.pop()
            if not stack:
                raise source.error(match.start(), "')' closes nothing", "remove it", SyntaxFault.PARENTHESES)
        elif token[0] != ";":
            stack[-1].append(token.lower())
    return _only_list(source, outer, stack)


def _only_list(source: SourceText, outer: Node, stack: list[Node]) -> Node:
    """The single list of ``outer``, once everything opened is closed."""
    if len(stack) > 1:
        raise source.error(stack[-1], "'(' is never closed", "add the missing ')'", SyntaxFault.PARENTHESES)
    if not outer:
        raise source.error(0, "expected '(define ...)' and found nothing")
    if len(outer) > 1 or not isinstance(outer[0], Node):
        raise source.error(
            _stray(source), "expected one '(define ...)' and found text outside it", "remove it"
        )
    return outer[0]


def _stray(source: SourceText) -> int:
    """The offset of the first token outside the first list."""
    depth = opened = 0
    for match in _TOKEN.finditer(source.text):
        token = match.group()
        if depth == 0 and token[0] != ";" and (token != "(" or opened):
            return match.start()
        opened += token == "("
        depth += (token == "(") - (token == ")")
    return 0
