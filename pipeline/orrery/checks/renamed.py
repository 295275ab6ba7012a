"""Check rows in another vocabulary: the same domain, problem and plan, renamed.

The vocabulary itself is not used. Domain, problem and plan together must be isomorphic: whatever the names,
and whatever the order of objects, but with types, predicates and actions in the order of their declarations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from orrery.checks import automorphisms
from orrery.checks.automorphisms import ColouredGraph, ObjectGraph, graph_of
from orrery.checks.verdicts import UNDECIDED
from orrery.model import Action, Atom, Domain, OrreryError, Predicate, Problem, TypedName
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import parse_atom

NO_NAMES: Mapping[str, str] = MappingProxyType({})


def check(domain: Domain, problem: Problem, row: Mapping[str, Any], origin: Mapping[str, Any]) -> list[str]:
    """Return a fault if PDDL and plan of ``row`` are not a renaming of ``origin``, the row of ``problem``."""
    try:
        renamed = read_domain(row["domain_pddl"], row["id"])
        named = read_problem(row["problem_pddl"], renamed, row["id"])
        faults = [] if renamed.requirements == domain.requirements else ["the requirements are others"]
        graphs = _graph(renamed, named, row["plan"]), _graph(domain, problem, origin["plan"])
    except OrreryError as error:
        return [f"the renamed PDDL and plan do not hold together: {error}"]
    if (same := automorphisms.same(*graphs)) is None:
        faults.append(f"{UNDECIDED}whether the renamed domain, problem and plan are the same")
    elif not same:
        faults.append("the renamed domain, problem or plan is another one")
    unchanged = sorted(_names(renamed) & _names(domain))
    return faults + ([f"keeps the names {', '.join(unchanged)}"] if unchanged else [])


def _names(domain: Domain) -> set[str]:
    """Return the names that a vocabulary must rename: predicates and actions."""
    return {*domain.predicate_named, *domain.action_named}


def _graph(domain: Domain, problem: Problem, plan: Sequence[str]) -> ColouredGraph:
    """Return domain, problem and plan; the numbers of declarations and steps are labels, names are not."""
    structure = domain_structure(domain)
    objects = {**structure.objects, **{f"object {typed.name}": "object" for typed in problem.objects}}
    for kind, symbols in _declared(domain).items():
        objects |= {f"{kind} {symbol.name}": f"{kind} {number}" for number, symbol in enumerate(symbols)}
    for action in domain.actions:
        for place, parameter in enumerate(action.parameters):
            objects[f"action {action.name} {parameter.name}"] = f"parameter {place}"
    facts = list(structure.facts)
    facts += [fact for typed in problem.objects for fact in _of_types(f"object {typed.name}", typed)]
    facts += [("init", _atom(fact)) for fact in problem.init]
    facts += [(f"goal {literal.positive}", _atom(literal.atom)) for literal in problem.goal]
    facts += [(f"step {number}", _atom(parse_atom(step), "action")) for number, step in enumerate(plan)]
    return graph_of(ObjectGraph(objects, facts))


def _declared(domain: Domain) -> Mapping[str, Sequence[TypedName | Predicate | Action]]:
    return {
        "type": domain.types,
        "object": domain.constants,
        "predicate": domain.predicates,
        "action": domain.actions,
    }


def domain_structure(domain: Domain) -> ObjectGraph:
    """Return the symbols of a domain and the parameters of its actions as objects, and facts about them."""
    objects = {f"{kind} {one.name}": kind for kind, symbols in _declared(domain).items() for one in symbols}
    facts = [fact for typed in domain.types for fact in _of_types(f"type {typed.name}", typed)]
    facts += [fact for typed in domain.constants for fact in _of_types(f"object {typed.name}", typed)]
    for predicate in domain.predicates:
        for place, parameter in enumerate(predicate.parameters):
            facts += _of_types(f"predicate {predicate.name}", parameter, f"parameter {place}")
    for action in domain.actions:
        head = f"action {action.name}"
        names = {parameter.name: f"{head} {parameter.name}" for parameter in action.parameters}
        objects |= dict.fromkeys(names.values(), "parameter")
        facts += [("parameter", (head, name)) for name in names.values()]
        facts += [fact for p in action.parameters for fact in _of_types(names[p.name], p)]
        parts = [(f"needs {literal.positive}", literal.atom) for literal in action.preconditions]
        parts += [("adds", atom) for atom in action.add] + [("deletes", atom) for atom in action.delete]
        facts += [(part, (head, *_atom(atom, "predicate", names))) for part, atom in parts]
    return ObjectGraph(objects, facts)


def _of_types(name: str, typed: TypedName, label: str = "of type") -> list[tuple[str, tuple[str, ...]]]:
    """Return a fact for each type: the alternatives of ``either`` have no order."""
    return [(label, (name, f"type {type_name}")) for type_name in typed.types]


def _atom(atom: Atom, kind: str = "predicate", names: Mapping[str, str] = NO_NAMES) -> tuple[str, ...]:
    """Return the vertices of a fact or step; ``names`` are those of parameters."""
    return (f"{kind} {atom[0]}", *(names.get(name, f"object {name}") for name in atom[1:]))
