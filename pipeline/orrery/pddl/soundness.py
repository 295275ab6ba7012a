"""Check a domain for undeclared names, types, arities and requirements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orrery.model import EQUAL, OBJECT, Predicate, TypedName, supertypes
from orrery.pddl.adl import (
    CONNECTIVES,
    DIALECTS,
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
    """Record every undeclared name, wrong type or arity, and undeclared requirement.

    ``places`` are those of ``Sections``. A log that raises faults ignores undeclared requirements, as
    planners do.
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
            message = f"requirement '{requirement:.80}' is not one of PDDL's"
            log.add(
                DomainErrorClass.UNSUPPORTED_FEATURE, places.get(":requirements", 0), message, "remove it"
            )
    for requirement, at in () if log.raises else missing(domain):
        message = f"requirement '{requirement}' is used and not declared"
        at = at or places.get(":types", places.get(":requirements", 0))
        log.add(DomainErrorClass.MISSING_REQUIREMENTS, at, message, "add it to (:requirements ...)")


def ancestors(types: Iterable[TypedName]) -> dict[str, frozenset[str]]:
    """Return each declared type's supertypes with itself and ``object``, also undeclared and cyclic ones.

    With more than two thousand types only the parents are included, because time grows quadratically.
    """
    types = tuple(types)
    parents = {typed.name: typed.types for typed in types}
    if len(parents) > _MOST_TYPES:
        return {OBJECT: frozenset({OBJECT})} | {n: frozenset({n, OBJECT, *up}) for n, up in parents.items()}
    return supertypes(types)


class _SoundnessCheck:
    """The check of one domain."""

    def __init__(self, log: FaultLog, domain: AdlDomain, places: Mapping[str, int]) -> None:
        self.log, self.domain, self.places = log, domain, places
        self.above = ancestors(domain.types)
        self.constants = {typed.name: typed.types for typed in domain.constants}
        self.predicates = {predicate.name: predicate for predicate in domain.predicates}
        self.functions = {function.name: function for function in domain.functions}
        if not log.raises:  # the distinction does not matter here
            self.predicates = self.functions = self.functions | self.predicates

    def types(self) -> None:
        """Check for undeclared and cyclic supertypes."""
        at = self.places.get(":types", 0)
        for typed in self.domain.types:
            self._check_types(typed.types, at, f"supertype of '{typed.name}'")
            if any(typed.name in self.above.get(parent, ()) for parent in typed.types):
                message = f"type '{typed.name}' is its own supertype"
                self.log.add(DomainErrorClass.UNDEFINED_TYPE, at, message, "break the cycle")

    def _check_types(self, types: tuple[str, ...], at: int, owner: str) -> None:
        for name in types:
            if name not in self.above:
                message = f"type '{name}' ({owner}) is not declared"
                mend = f"{self.log.near(name, self.above)}add '{name}' to (:types ...)"
                self.log.add(DomainErrorClass.UNDEFINED_TYPE, at, message, mend)

    def declarations(self) -> None:
        """Check the types of constants, and of the arguments of predicates and functions."""
        at = self.places.get
        for constant in self.domain.constants:
            self._check_types(constant.types, at(":constants", 0), f"of constant '{constant.name}'")
        for head, signatures in (
            (":predicates", self.domain.predicates),
            (":functions", self.domain.functions),
        ):
            for signature in signatures:
                for parameter in signature.parameters:
                    place = at(f"{head} {signature.name}", 0)
                    self._check_types(parameter.types, place, f"of {parameter.name} of '{signature.name}'")

    def action(self, action: AdlAction) -> None:
        """Check one action."""
        for parameter in action.parameters:
            self._check_types(parameter.types, action.at, f"of {parameter.name} of action '{action.name}'")
        scope = {parameter.name: parameter.types for parameter in action.parameters}
        self.formulas(action.preconditions, scope)
        self.formulas(action.effects, scope)

    def rule(self, formula: Formula) -> None:
        """Check a derived predicate or a constraint. Variables without a type have that of the predicate."""
        scope = {typed.name: typed.types for typed in formula.variables}
        head = formula.formulas[0].head if formula.variables else ""
        if head in self.predicates and self.predicates[head].arity == len(scope):
            declared = zip(formula.variables, self.predicates[head].parameters, strict=True)
            scope = {v.name: p.types if v.types == (OBJECT,) else v.types for v, p in declared}
        self.formulas(formula.formulas, scope)

    def formulas(self, formulas: Iterable[Formula], scope: Types) -> None:
        """Check formulas with the variables of ``scope``."""
        for formula in formulas:
            inner = scope
            if formula.head in QUANTIFIERS:
                inner = {**scope, **{typed.name: typed.types for typed in formula.variables}}
                for typed in formula.variables:
                    self._check_types(typed.types, formula.at, f"of {typed.name}")
            if self._is_connective(formula.head):
                self.formulas(formula.formulas, inner)
            else:
                self._term(formula, self.predicates.get(formula.head), inner)

    def _is_connective(self, head: str) -> bool:
        """Return whether a head is a connective. Predicates may have names such as ``unknown``."""
        is_dialect = head in DIALECTS and head not in self.predicates
        is_section = head.startswith(":") and not self.log.raises  # for example :derived and :duration
        return head in CONNECTIVES - DIALECTS or is_dialect or is_section

    def _term(
        self, formula: Formula, expected: Predicate | None, scope: Types, kind: str = "predicate"
    ) -> None:
        """Check a predicate, function, comparison or change."""
        if expected is None:
            if formula.head not in NUMERIC:
                self._undeclared(formula, kind)
        elif len(formula.parts) != expected.arity:
            message = f"'{formula.head}' takes {expected.arity} arguments, found {len(formula.parts)}"
            self.log.add(DomainErrorClass.TYPE_MISMATCH, formula.at, message)
            expected = None
        if formula.head == EQUAL and len(formula.parts) != 2:
            self.log.refuse(formula.at, f"'=' takes 2 arguments, found {len(formula.parts)}")
        for position, part in enumerate(formula.parts):
            if isinstance(part, Formula):
                if formula.head in NUMERIC:  # a list elsewhere was recorded as a fault
                    self._term(part, self.functions.get(part.head), scope, "function")
            else:
                self._argument(formula, part, scope, expected, position)

    def _undeclared(self, formula: Formula, kind: str) -> None:
        message = f"{kind} '{formula.head}' is not declared"
        names = self.predicates if kind == "predicate" else self.functions
        mend = f"{self.log.near(formula.head, names)}add '{formula.head}' to (:{kind}s ...)"
        self.log.add(DomainErrorClass.UNDEFINED_CONSTANT, formula.at, message, mend)

    def _argument(
        self, formula: Formula, name: str, scope: Types, expected: Predicate | None, position: int
    ) -> None:
        """Check one argument."""
        types = scope.get(name) or self.constants.get(name)
        if types is None:
            self._undeclared_name(formula, name, scope)
            return
        wanted = expected.parameters[position].types if expected else (OBJECT,)
        if OBJECT in wanted or not all(name in self.above for name in (*types, *wanted)):
            return
        if not all(self.above[kind] & frozenset(wanted) for kind in types):
            message = (
                f"'{name}' is of type {write_type(types)} where '{formula.head}' takes {write_type(wanted)}"
            )
            self.log.add(DomainErrorClass.TYPE_MISMATCH, formula.at, message)

    def _undeclared_name(self, formula: Formula, name: str, scope: Types) -> None:
        if self._is_value(formula, name):
            return
        near = self.log.near(name, (*scope, *self.constants))
        if name.startswith("?") and name not in _BUILT_IN:
            message = f"variable '{name}' in {formula} is not declared"
            mend = f"{near}add it to the parameters"
            self.log.add(DomainErrorClass.UNDEFINED_VARIABLE, formula.at, message, mend)
        else:
            message = f"constant '{name}' in {formula} is not declared"
            mend = f"{near}add it to (:constants ...)"
            self.log.add(DomainErrorClass.UNDEFINED_CONSTANT, formula.at, message, mend)

    def _is_value(self, formula: Formula, name: str) -> bool:
        """Return whether an undeclared name is a number, a built-in name or a bare function."""
        is_numeric = formula.head in NUMERIC
        if self.log.raises:  # numeric expressions beyond the subset are refused elsewhere
            return is_numeric and (formula.head != EQUAL or bool(formula.formulas))
        return is_number(name) or name in _BUILT_IN or (is_numeric and name in self.functions)
