"""Faults of a PDDL text, with their places: errors that end a reading, and faults that are collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from orrery.model import OrreryError
from orrery.pddl.tree import Node

MOST_OF_A_CLASS = 20


class SyntaxFault(StrEnum):
    """Classes of faults of a text, for counting."""

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
        """Make the error as every OrreryError is made, with its class."""
        super().__init__(where, problem, mend)
        self.fault = fault

    def __reduce__(self) -> tuple[type[PddlError], tuple[str, str, str, SyntaxFault]]:  # type: ignore[override]
        """Pickle all parts of the error, so that it comes back whole from a worker process."""
        return type(self), (self.where, self.problem, self.mend, self.fault)


class OutsideSubset(PddlError):
    """Sound PDDL, but of a language wider than STRIPS with types, negation, equality and costs."""


class SourceText:
    """A text with its name, able to say where an offset lies."""

    __slots__ = ("name", "text")

    def __init__(self, text: str, name: str = "<text>") -> None:
        """Keep the text as given; ``name`` is usually a file name."""
        self.text, self.name = text, name

    def place(self, offset: int) -> str:
        """Return ``name:line:column``, counted from one."""
        line = self.text.count("\n", 0, offset) + 1
        return f"{self.name}:{line}:{offset - self.text.rfind(chr(10), 0, offset)}"

    def error(
        self, at: Node | int, problem: str, mend: str = "", fault: SyntaxFault = SyntaxFault.MALFORMED
    ) -> PddlError:
        """Return an error at a node or offset, for the caller to raise."""
        return PddlError(self.place(at if isinstance(at, int) else at.at), problem, mend, fault)

    def outside(self, at: Node, construct: str) -> OutsideSubset:
        """Return the error for a construct outside the planning subset."""
        return OutsideSubset(
            self.place(at.at),
            f"'{construct}' is outside the supported subset of PDDL",
            "use :strips with :typing, :negative-preconditions, :equality and :action-costs",
            SyntaxFault.OUTSIDE_SUBSET,
        )


class DomainErrorClass(StrEnum):
    """The nine classes of syntax errors of Text2World (appendix C.2, table 4).

    The table has no class for some faults; they are counted under the nearest: an undeclared predicate
    or function under UndefinedConstant, a wrong number of arguments under TypeMismatch, a cycle of types
    under UndefinedType, unknown sections and keywords under UnsupportedFeature.
    """

    UNDEFINED_DOMAIN_NAME = "UndefinedDomainName"
    INCORRECT_PARENTHESES = "IncorrectParentheses"
    DUPLICATE_DEFINITION = "DuplicateDefinition"
    UNDEFINED_TYPE = "UndefinedType"
    UNDEFINED_VARIABLE = "UndefinedVariable"
    UNDEFINED_CONSTANT = "UndefinedConstant"
    TYPE_MISMATCH = "TypeMismatch"
    UNSUPPORTED_FEATURE = "UnsupportedFeature"
    MISSING_REQUIREMENTS = "MissingRequirements"


# A fault of an earlier class often brings about some of the later ones.
GRAVITY: Mapping[DomainErrorClass, int] = MappingProxyType(
    {kind: rank for rank, kind in enumerate(DomainErrorClass)}
)


@dataclass(frozen=True, slots=True)
class DomainFault:
    """A fault at one place (``name:line:column``), and how to mend it."""

    kind: DomainErrorClass
    place: str
    message: str
    mend: str = ""

    def __str__(self) -> str:
        """Return the fault on one line."""
        return f"{self.place}: {self.message}" + (f" ({self.mend})" if self.mend else "")


class FaultLog:
    """Collects the faults of one text; of one class no more than twenty, so that none fills the report."""

    def __init__(self, source: SourceText) -> None:
        """Start without faults; ``source`` says where they lie."""
        self.source = source
        self._found: list[tuple[int, DomainErrorClass, str, str]] = []
        self._seen: set[tuple[DomainErrorClass, str]] = set()
        self._counts: Counter[DomainErrorClass] = Counter()

    def add(self, kind: DomainErrorClass, at: int, message: str, mend: str = "") -> None:
        """Note a fault at an offset; the same words are noted once."""
        if (kind, message) not in self._seen and self._counts[kind] < MOST_OF_A_CLASS:
            self._seen.add((kind, message))
            self._counts[kind] += 1
            self._found.append((at, kind, message, mend))

    def faults(self) -> tuple[DomainFault, ...]:
        """Return all faults in the order of their places."""
        return tuple(
            DomainFault(kind, self.source.place(at), message, mend)
            for at, kind, message, mend in sorted(self._found)
        )

    def parentheses(self, at: int, message: str, mend: str = "") -> None:
        """Note a fault of the class that malformed lists have."""
        self.add(DomainErrorClass.INCORRECT_PARENTHESES, at, message, mend)
