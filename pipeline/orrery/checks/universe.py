"""The actions and facts that questions on reachability are about, found by another route than theirs.

Actions are tried argument by argument on the static facts (``Lifted``), not joined from them; whether an
action adds a fact with an object in two places is looked up fact by fact.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from orrery.checks.lifted import Lifted
from orrery.model import EQUAL, Action, Atom, Domain, Literal, Problem, Step
from orrery.planning.universe import names_of


def actions_of(domain: Domain, problem: Problem) -> list[Step]:
    """Return the well-typed ground actions whose static preconditions and (in)equalities hold, sorted."""
    changing = {atom[0] for action in domain.actions for atom in (*action.add, *action.delete)}
    bare = tuple(_without(action, changing) for action in domain.actions)
    lasting = frozenset(fact for fact in problem.init if fact[0] not in changing)
    return Lifted(replace(domain, actions=bare), problem).applicable(lasting)


def _without(action: Action, changing: set[str]) -> Action:
    """Return the action with its static preconditions alone."""
    return replace(
        action, preconditions=frozenset(p for p in action.preconditions if p.atom[0] not in changing)
    )


def facts_of(domain: Domain, problem: Problem) -> list[Atom]:
    """Return the well-typed facts of predicates that some action adds, sorted.

    One that names an object twice is among them only if some action of ``actions_of`` adds it.
    """
    added_predicates = {atom[0] for action in domain.actions for atom in action.add}
    facts = []
    for predicate in domain.predicates:
        if predicate.name in added_predicates:
            names = [names_of(domain, problem, parameter.types) for parameter in predicate.parameters]
            facts += [(predicate.name, *arguments) for arguments in product(*names)]
    return sorted(
        fact for fact in facts if len(set(fact[1:])) == len(fact) - 1 or _added(domain, problem, fact)
    )


def _added(domain: Domain, problem: Problem, fact: Atom) -> bool:
    """Return whether some action adds ``fact``: its effect binds parameters, the others are free."""
    return any(
        _unifies(domain, problem, action, atom, fact) for action in domain.actions for atom in action.add
    )


def _unifies(domain: Domain, problem: Problem, action: Action, atom: Atom, fact: Atom) -> bool:
    """Return whether some instance of ``action`` that statics allow makes ``fact`` of ``atom``."""
    if atom[0] != fact[0]:
        return False
    changing = {
        atom_changed[0] for schema in domain.actions for atom_changed in (*schema.add, *schema.delete)
    }
    parameters = {parameter.name for parameter in action.parameters}
    if any(
        argument not in parameters and argument != name
        for argument, name in zip(atom[1:], fact[1:], strict=True)
    ):
        return False
    pairs = [
        (argument, name) for argument, name in zip(atom[1:], fact[1:], strict=True) if argument in parameters
    ]
    bound = frozenset(Literal((EQUAL, argument, name)) for argument, name in pairs)
    only = _without(action, changing)
    only = replace(only, preconditions=only.preconditions | bound)
    lasting = frozenset(atom_changed for atom_changed in problem.init if atom_changed[0] not in changing)
    return bool(Lifted(replace(domain, actions=(only,)), problem).applicable(lasting))
