"""The well-typed ground atoms and ground actions of a problem, whether or not they can ever occur."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from pipeline.model import Atom, Domain, Problem, Step, TypedName


def names_of(domain: Domain, problem: Problem, wanted: tuple[str, ...]) -> list[str]:
    """Names of the objects and constants that fit one of the ``wanted`` types, sorted."""
    everything = (*domain.constants, *problem.objects)
    return sorted(typed.name for typed in everything if domain.fits(typed.types, wanted))


def _choices(domain: Domain, problem: Problem, parameters: tuple[TypedName, ...]) -> list[list[str]]:
    return [names_of(domain, problem, parameter.types) for parameter in parameters]


def fluent_atoms(domain: Domain, problem: Problem) -> list[Atom]:
    """Every well-typed ground atom of the fluent predicates, repeated arguments included, sorted."""
    return sorted(
        (name, *arguments)
        for name in domain.fluents
        for arguments in product(*_choices(domain, problem, domain.predicate_named[name].parameters))
    )


def ground_steps(domain: Domain, problem: Problem) -> Iterator[Step]:
    """Every well-typed ground action, by action name and then by arguments, sorted."""
    for name in sorted(domain.action_named):
        parameters = domain.action_named[name].parameters
        for arguments in product(*_choices(domain, problem, parameters)):
            yield (name, *arguments)


def count_steps(domain: Domain, problem: Problem) -> int:
    """How many ground actions ``ground_steps`` would yield."""
    return sum(prod(map(len, _choices(domain, problem, action.parameters))) for action in domain.actions)
