"""Colours of objects: whole numbers that no renaming changes, by plain refinement.

Objects of different colours cannot take each other's place; objects of one colour perhaps can. Python
hashes tuples of whole numbers alike in every process, so colours can be compared across them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orrery.model import Atom, Domain, Problem

Marked = tuple[int, Atom]  # a fact with a mark that says where it stands and what it states
WRAP = (1 << 61) - 1


def first_colours(domain: Domain, problem: Problem) -> dict[str, int]:
    """Return the colours of objects by their types, those of constants by their names."""
    kinds = sorted({typed.types for typed in problem.objects})
    colours = {typed.name: hash((1, kinds.index(typed.types))) for typed in problem.objects}
    return colours | {typed.name: hash((2, i)) for i, typed in enumerate(domain.constants)}


def marked(domain: Domain, facts: Mapping[int, Iterable[Atom]]) -> list[Marked]:
    """Return the facts of initial state and goal, each marked with the one it stands in and its predicate."""
    number = {predicate.name: i for i, predicate in enumerate(domain.predicates)}
    return [(hash((part, number.get(atom[0], -1))), atom) for part, atoms in facts.items() for atom in atoms]


def refined(colours: Mapping[str, int], facts: list[Marked], rounds: int) -> dict[str, int]:
    """Return the colours after ``rounds`` in which each object takes in the facts it stands in."""
    now = dict(colours)
    for _ in range(rounds):
        news = dict.fromkeys(now, 0)
        for mark, atom in facts:
            fact_colour = hash((mark, *[now[name] for name in atom[1:]]))
            for place, name in enumerate(atom[1:]):
                news[name] += hash((fact_colour, place))
        now = {name: hash((now[name], news[name] % WRAP)) for name in now}
    return now


def fingerprint(colours: Mapping[str, int], facts: list[Marked]) -> int:
    """Return one number for all colours and facts, equal where a renaming maps one to the other."""
    hashed = sorted(hash((mark, *[colours[name] for name in atom[1:]])) for mark, atom in facts)
    return hash((tuple(sorted(colours.values())), tuple(hashed)))
