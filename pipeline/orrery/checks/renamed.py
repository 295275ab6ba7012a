"""Check rows in another vocabulary: the same problem and plan, renamed. The vocabulary itself is not used.

Types, predicates and actions are replaced by the numbers of their declarations; then the domains must be
equal. Problem and plan together must be isomorphic, whatever the names and the order of objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from orrery.checks import automorphisms
from orrery.checks.automorphisms import Graph, ObjectGraph, graph_of
from orrery.checks.verdicts import UNDECIDED
from orrery.model import EQUAL, OBJECT, Action, Atom, Domain, Literal, OrreryError, Problem, TypedName
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import parse_atom

Numbers: TypeAlias = Mapping[str, int]


def check(domain: Domain, problem: Problem, row: Mapping[str, Any], origin: Mapping[str, Any]) -> list[str]:
    """Return a fault if PDDL and plan of ``row`` are not a renaming of ``origin``, the row of ``problem``."""
    try:
        renamed = read_domain(row["domain_pddl"], row["id"])
        named = read_problem(row["problem_pddl"], renamed, row["id"])
        faults = [] if _domain(renamed) == _domain(domain) else ["the renamed domain is another one"]
        graphs = _graph(renamed, named, row["plan"]), _graph(domain, problem, origin["plan"])
    except (OrreryError, KeyError) as error:
        return [f"the renamed PDDL and plan do not hold together: {error}"]
    if (same := automorphisms.same(*graphs)) is None:
        faults.append(f"{UNDECIDED}whether the renamed problem and plan are the same")
    elif not same:
        faults.append("the renamed problem or plan is another one")
    unchanged = sorted(_names(renamed) & _names(domain))
    return faults + ([f"keeps the names {', '.join(unchanged)}"] if unchanged else [])


def _numbers(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _names(domain: Domain) -> set[str]:
    """Return the names that a vocabulary must rename: predicates and actions."""
    return {*domain.predicate_named, *domain.action_named}


def _types(domain: Domain) -> dict[str, int]:
    return {OBJECT: -1, **_numbers(typed.name for typed in domain.types)}


def _typed(listed: Iterable[TypedName], types: Numbers) -> tuple[object, ...]:
    return tuple(tuple(types[name] for name in typed.types) for typed in listed)


def _atoms(atoms: Iterable[Atom], heads: Numbers, arguments: Numbers) -> frozenset[object]:
    return frozenset((heads[atom[0]], *(arguments[name] for name in atom[1:])) for atom in atoms)


def _literals(literals: Iterable[Literal], heads: Numbers, arguments: Numbers) -> tuple[object, ...]:
    """Return positive and negative literals separately."""
    listed = list(literals)
    return tuple(
        _atoms((literal.atom for literal in listed if literal.positive == sign), heads, arguments)
        for sign in (True, False)
    )


def _heads(domain: Domain) -> dict[str, int]:
    return {EQUAL: -1, **_numbers(domain.predicate_named)}


def _domain(domain: Domain) -> tuple[object, ...]:
    types = _types(domain)
    return (
        domain.requirements,
        _typed(domain.types, types),
        _typed(domain.constants, types),
        tuple(_typed(predicate.parameters, types) for predicate in domain.predicates),
        tuple(_action(action, domain, types) for action in domain.actions),
    )


def _action(action: Action, domain: Domain, types: Numbers) -> tuple[object, ...]:
    names = [typed.name for typed in (*domain.constants, *action.parameters)]
    heads, arguments = _heads(domain), _numbers(names)
    return (
        _typed(action.parameters, types),
        _literals(action.preconditions, heads, arguments),
        _atoms(action.add, heads, arguments),
        _atoms(action.delete, heads, arguments),
    )


def _graph(domain: Domain, problem: Problem, plan: list[str]) -> Graph:
    """Return the problem and its plan with numbers for predicates and actions, and objects by type only."""
    types, heads, actions = _types(domain), _heads(domain), _numbers(domain.action_named)
    constants = _numbers(typed.name for typed in domain.constants)
    objects = {typed.name: f"object {_typed([typed], types)}" for typed in problem.objects}
    objects |= {name: f"constant {number}" for name, number in constants.items()}
    facts = [(f"init {heads[fact[0]]}", fact[1:]) for fact in problem.init]
    facts += [(f"goal {goal.positive} {heads[goal.atom[0]]}", goal.atom[1:]) for goal in problem.goal]
    for number, step in enumerate(map(parse_atom, plan)):
        facts.append((f"step {number} {actions[step[0]]}", step[1:]))
    if strangers := sorted({name for _, names in facts for name in names} - objects.keys()):
        raise OrreryError("plan", f"names {', '.join(strangers)}, which are no objects")
    return graph_of(ObjectGraph(objects, facts))
