"""Read domain and problem with disjunctions of static facts as PDDL without disjunctions.

Static conditions can be evaluated once: ``(or (p ?x) (q ?x))`` over static predicates becomes a new
predicate, whose facts are added to the initial state. Actions keep their names and parameters, so
reachability, plans and questions stay the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from orrery.model import EQUAL, Atom, Domain, Predicate, Problem
from orrery.pddl.adl import AND, IMPLY, NOT, OR, AdlAction, AdlDomain, Formula
from orrery.pddl.faults import SourceText
from orrery.pddl.read import read_problem, read_wide_domain
from orrery.pddl.subset import narrowed
from orrery.planning.adl_execution import AdlSimulator
from orrery.planning.universe import names_of

MOST_BINDINGS = 2_000_000
_JOINING = frozenset({AND, OR, NOT, IMPLY})


@dataclass(frozen=True)
class _Condition:
    """A condition on static facts, and the predicate that replaces it; its parameters are variables."""

    predicate: Predicate
    formula: Formula

    def facts(self, source: SourceText, domain: Domain, problem: Problem, wide: AdlDomain) -> Iterator[Atom]:
        """Yield the facts of the predicate in the initial state of ``problem``."""
        parameters = self.predicate.parameters
        fitting = [names_of(domain, problem, parameter.types) for parameter in parameters]
        if prod(map(len, fitting)) > MOST_BINDINGS:
            construct = f"a condition on more than {MOST_BINDINGS} tuples of objects"
            raise source.outside(self.formula.at, construct)
        simulator = AdlSimulator(wide, (*domain.constants, *problem.objects))
        variables = [parameter.name for parameter in parameters]
        for names in product(*fitting):
            if simulator.holds(self.formula, problem.init, dict(zip(variables, names, strict=True))):
                yield (self.predicate.name, *names)


def read_pair(domain_text: str, problem_text: str, source: str = "<text>") -> tuple[Domain, Problem]:
    """Return a domain and its problem; static conditions may use ``or``, ``imply`` and ``not``.

    Raises:
        PddlError: as in ``read_domain`` and ``read_problem``.
    """
    origin = SourceText(domain_text, source)
    wide = read_wide_domain(origin)
    compilation = _Compilation(wide)
    actions = tuple(map(compilation.compiled, wide.actions))
    predicates = (*wide.predicates, *(condition.predicate for condition in compilation.conditions))
    domain = narrowed(replace(wide, actions=actions, predicates=predicates), origin)
    problem = read_problem(problem_text, domain, source)
    facts = {
        fact
        for condition in compilation.conditions
        for fact in condition.facts(origin, domain, problem, wide)
    }
    return domain, replace(problem, init=problem.init | facts) if facts else problem


class _Compilation:
    """Replaces the static conditions of a domain's actions, and collects them."""

    def __init__(self, domain: AdlDomain) -> None:
        self.conditions: list[_Condition] = []
        self._names = {predicate.name for predicate in domain.predicates}
        changed = {head for action in domain.actions for effect in action.effects for head in _heads(effect)}
        self._static = self._names - changed | {EQUAL}

    def compiled(self, action: AdlAction) -> AdlAction:
        """Return an action with an atom in place of each static condition."""
        parts = [self._atom(part, action) for part in action.preconditions]
        return replace(action, preconditions=tuple(parts))

    def _atom(self, formula: Formula, action: AdlAction) -> Formula:
        """Return the atom of a static condition; other formulas unchanged."""
        if not (_is_compound(formula) and self._is_static(formula)):
            return formula
        types = {parameter.name: parameter for parameter in action.parameters}
        variables = tuple(types[name] for name in dict.fromkeys(_names(formula)) if name in types)
        name = f"condition-{len(self._names)}"
        while name in self._names:
            name += "x"
        self._names.add(name)
        self.conditions.append(_Condition(Predicate(name, variables), formula))
        return Formula(name, tuple(variable.name for variable in variables), at=formula.at)

    def _is_static(self, formula: Formula) -> bool:
        """Return whether a formula combines only atoms of static predicates."""
        if formula.head in _JOINING:
            return all(map(self._is_static, formula.formulas))
        return formula.head in self._static and not formula.formulas


def _is_compound(formula: Formula) -> bool:
    """Return whether a condition is more than an atom or a negated atom."""
    return formula.head in (OR, IMPLY) or (formula.head == NOT and formula.formulas[0].head in _JOINING)


def _heads(formula: Formula) -> Iterator[str]:
    """Yield the heads of a formula and of all its subformulas."""
    yield formula.head
    for part in formula.formulas:
        yield from _heads(part)


def _names(formula: Formula) -> Iterator[str]:
    """Yield the arguments of the atoms of a formula in order."""
    for part in formula.parts:
        if isinstance(part, Formula):
            yield from _names(part)
        else:
            yield part
