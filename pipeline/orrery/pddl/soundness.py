"""Soundness of a domain: names declared, types and arities right, requirements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orrery.model import OBJECT, Predicate, TypedName, supertypes
from orrery.pddl.adl import (
    CONNECTIVES,
    NUMERIC,
    QUANTIFIERS,
    AdlAction,
    AdlDomain,
    Formula,
    is_number,
)
from orrery.pddl.faults import DomainErrorClass, FaultLog
from orrery.pddl.requirements import KNOWN, missing
from orrery.pddl.write import write_type

Types = Mapping[str, tuple[str, ...]]

_BUILT_IN = frozenset({"#t", "?duration", "true", "false"})
_MOST_TYPES = 2000


def check(log: FaultLog, domain: AdlDomain, places: Mapping[str, int]) -> None:
    """Note every undeclared name, misfitting type or arity, and requirement that is used but not stated.

    ``places`` are the offsets of the sections by their heads.
    """
    checker = _SoundnessCheck(log, domain, places)
    checker.types()
    checker.declarations()
    for action in domain.actions:
        checker.action(action)
    for formula in domain.other:
        checker.rule(formula)
    for requirement in domain.requirements:
        if requirement not in KNOWN:
            message = f"requirement '{requirement}' is not one of PDDL's"
            log.add(
                DomainErrorClass.UNSUPPORTED_FEATURE, places.get(":requirements", 0), message, "remove it"
            )
    for requirement, at in missing(domain):
        message = f"requirement '{requirement}' is used and not declared"
        at = at or places.get(":types", places.get(":requirements", 0))
        log.add(DomainErrorClass.MISSING_REQUIREMENTS, at, message, "add it to (:requirements ...)")


def ancestors(types: Iterable[TypedName]) -> dict[str, frozenset[str]]:
    """Return each declared type's supertypes with itself and ``object``; undeclared and cyclic ones included.

    Of more than two thousand types only the parents are included, for time would grow with their square.
    """
    types = tuple(types)
    parents = {typed.name: typed.types for typed in types}
    if len(parents) > _MOST_TYPES:
        return {OBJECT: frozenset({OBJECT})} | {n: frozenset({n, OBJECT, *up}) for n, up in parents.items()}
    return supertypes(types)


class _SoundnessCheck:
    """One domain, being checked."""

    def __init__(self, log: FaultLog, domain: AdlDomain, places: Mapping[str, int]) -> None:
        self.log, self.domain, self.places = log, domain, places
        self.above = ancestors(domain.types)
        self.constants = {typed.name: typed.types for typed in domain.constants}
        self.signatures = {p.name: p for p in (*domain.functions, *domain.predicates)}

    def types(self) -> None:
        """Check for undeclared and cyclic supertypes."""
        at = self.places.get(":types", 0)
        for typed in self.domain.types:
            self._known(typed.types, at, f"supertype of '{typed.name}'")
            if any(typed.name in self.above.get(parent, ()) for parent in typed.types):
                message = f"type '{typed.name}' is its own supertype"
                self.log.add(DomainErrorClass.UNDEFINED_TYPE, at, message, "break the cycle")

    def _known(self, types: tuple[str, ...], at: int, what: str) -> None:
        for name in types:
            if name not in self.above:
                message = f"type '{name}' ({what}) is not declared"
                self.log.add(DomainErrorClass.UNDEFINED_TYPE, at, message, f"add '{name}' to (:types ...)")

    def declarations(self) -> None:
        """Check the types of constants, and of the arguments of predicates and functions."""
        at = self.places.get
        for constant in self.domain.constants:
            self._known(constant.types, at(":constants", 0), f"of constant '{constant.name}'")
        for head, signatures in (
            (":predicates", self.domain.predicates),
            (":functions", self.domain.functions),
        ):
            for signature in signatures:
                for parameter in signature.parameters:
                    self._known(parameter.types, at(head, 0), f"of {parameter.name} of '{signature.name}'")

    def action(self, action: AdlAction) -> None:
        """Check one action."""
        for parameter in action.parameters:
            self._known(parameter.types, action.at, f"of {parameter.name} of action '{action.name}'")
        scope = {parameter.name: parameter.types for parameter in action.parameters}
        self.formulas(action.preconditions, scope)
        self.formulas(action.effects, scope)

    def rule(self, formula: Formula) -> None:
        """Check a derived predicate or a constraint; variables without a type take that of the predicate."""
        scope = {typed.name: typed.types for typed in formula.variables}
        head = formula.formulas[0].head if formula.variables else ""
        if head in self.signatures and self.signatures[head].arity == len(scope):
            declared = zip(formula.variables, self.signatures[head].parameters, strict=True)
            scope = {v.name: p.types if v.types == (OBJECT,) else v.types for v, p in declared}
        self.formulas(formula.formulas, scope)

    def formulas(self, formulas: Iterable[Formula], scope: Types) -> None:
        """Check formulas in which the variables of ``scope`` are known."""
        for formula in formulas:
            inner = scope
            if formula.head in QUANTIFIERS:
                inner = {**scope, **{typed.name: typed.types for typed in formula.variables}}
                for typed in formula.variables:
                    self._known(typed.types, formula.at, f"of {typed.name}")
            if formula.head in CONNECTIVES or formula.head.startswith(":"):
                self.formulas(formula.formulas, inner)
            else:
                self._term(formula, inner)

    def _term(self, formula: Formula, scope: Types, what: str = "predicate") -> None:
        """Check a predicate, function, comparison or change."""
        expected = self.signatures.get(formula.head)
        if formula.head in NUMERIC:
            expected = None
        elif expected is None:
            self._undeclared(formula, what)
        elif len(formula.parts) != expected.arity:
            message = f"'{formula.head}' takes {expected.arity} arguments, found {len(formula.parts)}"
            self.log.add(DomainErrorClass.TYPE_MISMATCH, formula.at, message)
            expected = None
        for position, part in enumerate(formula.parts):
            if isinstance(part, Formula):
                if formula.head in NUMERIC:  # elsewhere no list may stand, which was noted
                    self._term(part, scope, "function")
            else:
                self._argument(formula, part, scope, expected, position)

    def _undeclared(self, formula: Formula, what: str) -> None:
        message = f"{what} '{formula.head}' is not declared"
        mend = f"add '{formula.head}' to (:{what}s ...)"
        self.log.add(DomainErrorClass.UNDEFINED_CONSTANT, formula.at, message, mend)

    def _argument(
        self, formula: Formula, name: str, scope: Types, expected: Predicate | None, position: int
    ) -> None:
        """Check one name that stands as an argument."""
        types = scope.get(name) or self.constants.get(name)
        if types is None:
            self._unknown_name(formula, name)
            return
        wanted = expected.parameters[position].types if expected else (OBJECT,)
        if OBJECT in wanted or not all(name in self.above for name in (*types, *wanted)):
            return
        if not all(self.above[own] & frozenset(wanted) for own in types):
            message = (
                f"'{name}' is of type {write_type(types)} where '{formula.head}' takes {write_type(wanted)}"
            )
            self.log.add(DomainErrorClass.TYPE_MISMATCH, formula.at, message)

    def _unknown_name(self, formula: Formula, name: str) -> None:
        if name.startswith("?") and name not in _BUILT_IN:
            message = f"variable '{name}' in {formula} is not declared"
            self.log.add(DomainErrorClass.UNDEFINED_VARIABLE, formula.at, message, "add it to the parameters")
        elif not (
            is_number(name) or name in _BUILT_IN or (formula.head in NUMERIC and name in self.signatures)
        ):
            message = f"constant '{name}' in {formula} is not declared"
            self.log.add(
                DomainErrorClass.UNDEFINED_CONSTANT, formula.at, message, "add it to (:constants ...)"
            )
