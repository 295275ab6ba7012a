"""A domain of full PDDL (ADL and beyond), possibly partial, with its faults.

Formulas are trees. Nested conditions, quantifiers, conditional and numeric effects all have this form.
A domain may be partial: it contains the readable parts, and ``faults`` describe the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, Union

from orrery.model import Predicate, TypedName
from orrery.pddl.faults import GRAVITY, DomainErrorClass, DomainFault
from orrery.pddl.write import write_typed

Part: TypeAlias = Union["Formula", str]

AND, OR, NOT, IMPLY, WHEN = "and", "or", "not", "imply", "when"
FORALL, EXISTS = "forall", "exists"
QUANTIFIERS = frozenset({FORALL, EXISTS})
COMPARISONS = frozenset({"<", ">", "<=", ">=", "="})
ASSIGNMENTS = frozenset({"increase", "decrease", "assign", "scale-up", "scale-down"})
ARITHMETIC = frozenset({"+", "-", "*", "/"})
NUMERIC = COMPARISONS | ASSIGNMENTS | ARITHMETIC
TIMED = frozenset({"at start", "at end", "over all"})
# Words of non-deterministic, probabilistic and preference dialects, which are kept unchanged.
DIALECTS = frozenset({"oneof", "probabilistic", "preference", "unknown"})
CONNECTIVES = frozenset({AND, OR, NOT, IMPLY, WHEN}) | QUANTIFIERS | TIMED | DIALECTS
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([e][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Formula:
    """A connective with its subformulas, or a predicate or function with its arguments.

    ``variables`` are those bound by a quantifier. ``at`` is the offset in the text; it is ignored
    when formulas are compared.
    """

    head: str
    parts: tuple[Part, ...] = ()
    variables: tuple[TypedName, ...] = ()
    at: int = field(default=0, compare=False)

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The parts that are formulas."""
        return tuple(part for part in self.parts if isinstance(part, Formula))

    def __str__(self) -> str:
        """Return the formula as PDDL."""
        if self.head in QUANTIFIERS:
            names = write_typed(self.variables, always=True)
            return f"({' '.join([self.head, f'({names})', *map(str, self.parts)])})"
        return f"({' '.join([self.head, *map(str, self.parts)])})"


def is_number(text: str) -> bool:
    """Return whether a symbol is a number."""
    return _NUMBER.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class AdlAction:
    """An action whose preconditions and effects are conjunctions of any formulas, in file order.

    ``kind`` is its declaring keyword, for example ``:action``; ``at`` its offset in the text.
    """

    name: str
    parameters: tuple[TypedName, ...] = ()
    preconditions: tuple[Formula, ...] = ()
    effects: tuple[Formula, ...] = ()
    kind: str = ":action"
    at: int = field(default=0, compare=False)


@dataclass(frozen=True)
class AdlDomain:
    """A domain, as far as it could be read.

    ``text`` is the part of the text with the domain, in its original case; empty if there is none.
    ``name`` is empty if the text has none. ``other`` are formulas of derived predicates and
    constraints.
    """

    name: str = ""
    requirements: tuple[str, ...] = ()
    types: tuple[TypedName, ...] = ()
    constants: tuple[TypedName, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    functions: tuple[Predicate, ...] = ()
    actions: tuple[AdlAction, ...] = ()
    other: tuple[Formula, ...] = ()
    text: str = ""
    faults: tuple[DomainFault, ...] = ()

    @cached_property
    def action_named(self) -> dict[str, AdlAction]:
        """Actions by name, in file order; the first of several with the same name."""
        actions: dict[str, AdlAction] = {}
        for action in self.actions:
            actions.setdefault(action.name, action)
        return actions

    @property
    def empty(self) -> bool:
        """Whether no part of a domain could be read."""
        return not (self.actions or self.predicates or self.types or self.functions)

    @property
    def error_class(self) -> DomainErrorClass | None:
        """The class of the most severe fault, or None for a sound domain."""
        return min((fault.kind for fault in self.faults), key=GRAVITY.__getitem__, default=None)
