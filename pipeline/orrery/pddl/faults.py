"""Faults of a PDDL text with their places. Either the first is raised, or all are collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from orrery.model import OrreryError, did_you_mean

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
        """Create the error like an OrreryError, with its class."""
        super().__init__(where, problem, mend)
        self.fault = fault

    def __reduce__(self) -> tuple[type[PddlError], tuple[str, str, str, SyntaxFault]]:  # type: ignore[override]
        """Pickle all parts of the error, so that a worker process can return it complete."""
        return type(self), (self.where, self.problem, self.mend, self.fault)


class OutsideSubset(PddlError):
    """Valid PDDL beyond the subset: STRIPS with types, negation, equality and costs."""


class SourceText:
    """A text with its name, which converts offsets to places."""

    __slots__ = ("name", "text")

    def __init__(self, text: str, name: str = "<text>") -> None:
        """Store the text; ``name`` is usually a file name."""
        self.text, self.name = text.removeprefix("\ufeff"), name  # a byte order mark is not part of it

    def place(self, offset: int) -> str:
        """Return ``name:line:column``, counted from one."""
        line = self.text.count("\n", 0, offset) + 1
        return f"{self.name}:{line}:{offset - self.text.rfind(chr(10), 0, offset)}"

    def error(
        self, at: int, problem: str, mend: str = "", fault: SyntaxFault = SyntaxFault.MALFORMED
    ) -> PddlError:
        """Return an error at an offset; the caller raises it."""
        kind = OutsideSubset if fault is SyntaxFault.OUTSIDE_SUBSET else PddlError
        return kind(self.place(at), problem, mend, fault)

    def outside(self, at: int, construct: str) -> PddlError:
        """Return the error for a construct outside the planning subset."""
        return self.error(
            at,
            f"'{construct}' is outside the supported subset of PDDL",
            "use :strips with :typing, :negative-preconditions, :equality and :action-costs",
            SyntaxFault.OUTSIDE_SUBSET,
        )


class DomainErrorClass(StrEnum):
    """The nine classes of syntax errors of Text2World (appendix C.2, table 4).

    Some faults have no class in the table and are counted under the nearest one: an undeclared predicate
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


# A fault of an earlier class often causes faults of later classes.
GRAVITY = {kind: rank for rank, kind in enumerate(DomainErrorClass)}


@dataclass(frozen=True, slots=True)
class DomainFault:
    """A fault at one place (``name:line:column``), and its fix.

    ``lost``: a part of the text is missing from the domain, or may be.
    """

    kind: DomainErrorClass
    place: str
    message: str
    mend: str = ""
    lost: bool = False

    def __str__(self) -> str:
        """Return the fault on one line."""
        return f"{self.place}: {self.message}" + (f" ({self.mend})" if self.mend else "")


class FaultLog:
    """Collects the faults of one text, or raises the first.

    At most ``MOST_OF_A_CLASS`` faults of each class are collected.
    """

    def __init__(self, source: SourceText, *, raises: bool = False) -> None:
        """Create the log of ``source`` without faults; with ``raises`` the first fault is raised."""
        self.source, self.raises = source, raises
        self._faults: list[tuple[int, DomainErrorClass, str, str, bool]] = []
        self._seen: set[tuple[DomainErrorClass, str]] = set()
        self._counts: Counter[DomainErrorClass] = Counter()

    def add(
        self,
        kind: DomainErrorClass,
        at: int,
        message: str,
        mend: str = "",
        fault: SyntaxFault = SyntaxFault.MALFORMED,
        *,
        lost: bool = False,
    ) -> None:
        """Record a fault at an offset (equal messages once), or raise it with the class ``fault``."""
        if self.raises:
            raise self.source.error(at, message, mend, fault)
        if (kind, message) not in self._seen and self._counts[kind] < MOST_OF_A_CLASS:
            self._seen.add((kind, message))
            self._counts[kind] += 1
            self._faults.append((at, kind, message, mend, lost))

    def parentheses(self, at: int, message: str, mend: str = "", *, lost: bool = False) -> None:
        """Record a malformed list."""
        self.add(DomainErrorClass.INCORRECT_PARENTHESES, at, message, mend, lost=lost)

    def refuse(
        self, at: int, message: str, mend: str = "", fault: SyntaxFault = SyntaxFault.MALFORMED
    ) -> None:
        """Raise a fault; if faults are collected, ignore it."""
        if self.raises:
            raise self.source.error(at, message, mend, fault)

    def refuse_wider(self, at: int, construct: str) -> None:
        """Raise the error for a construct outside the subset; if faults are collected, ignore it."""
        if self.raises:
            raise self.source.outside(at, construct)

    def near(self, name: str, names: Iterable[str]) -> str:
        """Return a suggestion of similar names as the start of a fix; empty if faults are collected.

        Its time grows with the number of names, so it is computed only for the one raised fault.
        """
        question = did_you_mean(name, names) if self.raises else ""
        return f"{question} else " if question else ""

    def faults(self) -> tuple[DomainFault, ...]:
        """Return all faults in the order of their places."""
        return tuple(
            DomainFault(kind, self.source.place(at), message, mend, lost)
            for at, kind, message, mend, lost in sorted(self._faults)
        )
