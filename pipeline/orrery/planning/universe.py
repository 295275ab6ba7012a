"""All well-typed ground atoms and ground actions of a problem, reachable or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from orrery.model import EQUAL, Action, Atom, Domain, Problem, Step, TypedName


def names_of(domain: Domain, problem: Problem, types: tuple[str, ...]) -> list[str]:
    """Return the names of the objects and constants of one of the ``types``, sorted."""
    everything = (*domain.constants, *problem.objects)
    return sorted(typed.name for typed in everything if domain.fits(typed.types, types))


def _choices(domain: Domain, problem: Problem, parameters: tuple[TypedName, ...]) -> list[list[str]]:
    return [names_of(domain, problem, parameter.types) for parameter in parameters]


def fluent_atoms(domain: Domain, problem: Problem) -> list[Atom]:
    """Return every well-typed ground atom of the fluent predicates, also with repeated arguments, sorted."""
    return sorted(
        (name, *arguments)
        for name in domain.fluents
        for arguments in product(*_choices(domain, problem, domain.predicate_named[name].parameters))
    )


def lifted_atoms(domain: Domain, action: Action) -> Iterator[Atom]:
    """Yield all well-typed atoms over the parameters of an action, also with repeated ones, by predicate."""
    for predicate in domain.predicates:
        choices = [
            [p.name for p in action.parameters if domain.fits(p.types, wanted.types)]
            for wanted in predicate.parameters
        ]
        yield from ((predicate.name, *names) for names in product(*choices))


def ground_steps(domain: Domain, problem: Problem) -> Iterator[Step]:
    """Yield every well-typed ground action, by action name and then by arguments, sorted."""
    for name in sorted(domain.action_named):
        parameters = domain.action_named[name].parameters
        for arguments in product(*_choices(domain, problem, parameters)):
            yield (name, *arguments)


def count_steps(domain: Domain, problem: Problem) -> int:
    """Return the number of ground actions that ``ground_steps`` would yield."""
    return sum(prod(map(len, _choices(domain, problem, action.parameters))) for action in domain.actions)


def most_steps(domain: Domain, problem: Problem) -> int:
    """Return an upper bound on the ground actions whose static preconditions hold, without grounding."""
    static: dict[str, list[Atom]] = {}
    for fact in problem.init:
        if fact[0] not in domain.fluents:
            static.setdefault(fact[0], []).append(fact)
    kinds = {parameter.types for action in domain.actions for parameter in action.parameters}
    names = {types: frozenset(names_of(domain, problem, types)) for types in kinds}
    return sum(_most_instances(action, domain.fluents, names, static) for action in domain.actions)


def _most_instances(
    action: Action,
    fluents: frozenset[str],
    names: Mapping[tuple[str, ...], frozenset[str]],
    static: Mapping[str, list[Atom]],
) -> int:
    """Return a bound for one action: static facts bind several parameters at once, the others are free."""
    free = {parameter.name: names[parameter.types] for parameter in action.parameters}
    together: list[tuple[int, frozenset[str]]] = []
    for literal in action.preconditions:
        name, *arguments = literal.atom
        if not literal.positive or name in fluents or name == EQUAL:
            continue
        facts, variables = static.get(name, []), frozenset(arguments) & free.keys()
        if len(arguments) == len(variables) == 1:
            free[arguments[0]] &= {fact[1] for fact in facts}
        else:
            together.append((len(facts), variables))
    count_bound = 1
    for count, variables in sorted(together, key=lambda counted: (counted[0], sorted(counted[1]))):
        if variables <= free.keys() and count < prod(len(free[variable]) for variable in variables):
            count_bound *= count
            for variable in variables:
                del free[variable]
    return count_bound * prod(map(len, free.values()))
