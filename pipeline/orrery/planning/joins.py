"""Joins that find an action's ground instances: the order in which preconditions are matched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from orrery.model import EQUAL, Action, Atom


class FactIndex:
    """Facts by predicate and by the values at any positions, each index made when first asked for."""

    def __init__(self, facts: Iterable[Atom]) -> None:
        """Start with ``facts``."""
        self._by_predicate: dict[str, list[Atom]] = defaultdict(list)
        self._indexes: dict[str, dict[tuple[int, ...], dict[tuple[str, ...], list[Atom]]]] = defaultdict(dict)
        for fact in facts:
            self.add(fact)

    def add(self, fact: Atom) -> None:
        """Enter a fact not seen before into every index of its predicate."""
        self._by_predicate[fact[0]].append(fact)
        for positions, index in self._indexes[fact[0]].items():
            index[tuple([fact[p] for p in positions])].append(fact)

    def matching(self, predicate: str, positions: tuple[int, ...], values: tuple[str, ...]) -> list[Atom]:
        """Return the facts of ``predicate`` with ``values`` at ``positions``."""
        if not positions:
            return self._by_predicate[predicate]
        indexes = self._indexes[predicate]
        if positions not in indexes:
            index: dict[tuple[str, ...], list[Atom]] = defaultdict(list)
            for fact in self._by_predicate[predicate]:
                index[tuple([fact[p] for p in positions])].append(fact)
            indexes[positions] = index
        return indexes[positions].get(values, [])


@dataclass(frozen=True, slots=True)
class Match:
    """Match one precondition: ``bound`` positions look up, ``free`` positions bind parameters.

    Both pair a position of the atom with a parameter's slot, or (bound) with a constant's name.
    """

    predicate: str
    bound_positions: tuple[int, ...]
    bound_slots: tuple[int | str, ...]
    free: tuple[tuple[int, int], ...]


Order = tuple[Match | int, ...]
"""Matches, then the slots that no precondition binds."""


def slots_of(action: Action) -> dict[str, int]:
    """Return each parameter's position."""
    return {parameter.name: slot for slot, parameter in enumerate(action.parameters)}


def positive_preconditions(action: Action) -> list[Atom]:
    """Return the positive preconditions that facts can match, sorted."""
    return sorted(p.atom for p in action.preconditions if p.positive and p.atom[0] != EQUAL)


def _match(atom: Atom, slots: dict[str, int], bound: set[int]) -> Match:
    """Return how to match ``atom`` once the slots ``bound`` have values; a repeated variable binds once."""
    looked_up: list[tuple[int, int | str]] = []
    free: list[tuple[int, int]] = []
    for position, argument in enumerate(atom[1:], start=1):
        slot: int | str = slots.get(argument, argument)
        if isinstance(slot, str) or slot in bound:
            looked_up.append((position, slot))
        else:
            free.append((position, slot))
    positions, values = tuple(p for p, _ in looked_up), tuple(s for _, s in looked_up)
    return Match(atom[0], positions, values, tuple(free))


def order_from(action: Action, trigger: Atom | None, fluents: frozenset[str]) -> Order:
    """Match ``trigger`` first, then always what has most bound and fewest free, statics preferred."""
    slots = slots_of(action)
    unmatched = [atom for atom in positive_preconditions(action) if atom != trigger]
    bound: set[int] = set()
    order: list[Match | int] = []
    current = trigger
    while current is not None or unmatched:
        if current is None:
            current = min(unmatched, key=lambda atom: _weight(_match(atom, slots, bound), fluents))
            unmatched.remove(current)
        match = _match(current, slots, bound)
        order.append(match)
        bound |= {slot for _, slot in match.free}
        current = None
    return (*order, *(slot for slot in slots.values() if slot not in bound))


def _weight(match: Match, fluents: frozenset[str]) -> tuple[bool, int, bool]:
    return not match.bound_positions and bool(match.free), len(match.free), match.predicate in fluents
