"""Objects that can stand for each other: changing places of two of them leaves the task as it is.

Two objects are interchangeable where exchanging them maps the task's facts, its ground actions and whatever
else is to be fixed (the initial state, the goal) onto themselves. Exchanges compose, so that interchangeable
objects form classes, and within a class every permutation is a symmetry. What is true of one fact or action
is then true of all that differ from it only in which objects of a class they name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from orrery.model import Atom
from orrery.semantics.task import PlanningTask

_Occurrences = dict[str, list[tuple[int, Atom]]]


@dataclass(frozen=True)
class Symmetry:
    """Classes of interchangeable objects, two or more in each, sorted."""

    classes: tuple[tuple[str, ...], ...]

    @cached_property
    def _class_of(self) -> dict[str, int]:
        return {name: number for number, names in enumerate(self.classes) for name in names}

    def representative(self, atom: Atom) -> Atom:
        """Return the fact or step of the same orbit with the first objects of each class in order."""
        words, renamed = [atom[0]], dict[str, str]()
        used: dict[int, int] = defaultdict(int)
        for name in atom[1:]:
            number = self._class_of.get(name)
            if number is None:
                words.append(name)
                continue
            if name not in renamed:
                renamed[name] = self.classes[number][used[number]]
                used[number] += 1
            words.append(renamed[name])
        return tuple(words)


def symmetry(task: PlanningTask, *fixed: Collection[Atom]) -> Symmetry:
    """Return the interchangeable objects of ``task`` with regard to each set of facts in ``fixed``.

    Objects that the domain names itself are left out: its actions may speak of them.
    """
    sets: list[Collection[Atom]] = [frozenset(task.facts), task.action_of.keys(), *map(frozenset, fixed)]
    occurrences = _occurrences(sets)
    by_profile: dict[tuple[object, ...], list[list[str]]] = defaultdict(list)
    for typed in sorted(task.problem.objects):
        places = occurrences[typed.name]
        classes = by_profile[typed.types, _profile(typed.name, places)]
        for members in classes:
            if _exchangeable(members[0], typed.name, occurrences, sets):
                members.append(typed.name)
                break
        else:
            classes.append([typed.name])
    interchangeable = (
        tuple(members) for classes in by_profile.values() for members in classes if len(members) > 1
    )
    return Symmetry(tuple(sorted(interchangeable)))


def goal_facts(task: PlanningTask) -> tuple[frozenset[Atom], frozenset[Atom]]:
    """Return the facts that the goal wants true and false, which a symmetry of plans must fix."""
    return task.facts_of(task.goal_positive), task.facts_of(task.goal_negative)


def _occurrences(sets: Sequence[Collection[Atom]]) -> _Occurrences:
    """Return where each object is named: the number of the set and the atom."""
    occurrences: _Occurrences = defaultdict(list)
    for number, atoms in enumerate(sets):
        for atom in atoms:
            for name in set(atom[1:]):
                occurrences[name].append((number, atom))
    return occurrences


def _profile(name: str, places: list[tuple[int, Atom]]) -> tuple[tuple[object, ...], ...]:
    """Return how often an object is named where; interchangeable objects agree in it."""
    counts: dict[tuple[int, str, int], int] = defaultdict(int)
    for number, atom in places:
        for position, argument in enumerate(atom[1:]):
            if argument == name:
                counts[number, atom[0], position] += 1
    return tuple(sorted((*key, count) for key, count in counts.items()))


def _exchangeable(
    first: str, second: str, occurrences: _Occurrences, sets: Sequence[Collection[Atom]]
) -> bool:
    """Return whether exchanging two objects maps every set onto itself."""
    swap = {first: second, second: first}
    return all(
        (atom[0], *[swap.get(name, name) for name in atom[1:]]) in sets[number]
        for number, atom in (*occurrences[first], *occurrences[second])
    )
