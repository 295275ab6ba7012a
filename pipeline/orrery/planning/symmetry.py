"""Interchangeable objects: exchanging two of them maps the task onto itself.

Two objects are interchangeable if exchanging them maps the task's facts, its ground actions and further
given facts (the initial state, the goal) onto themselves. Exchanges compose, so interchangeable
objects form classes, and every permutation within a class is a symmetry. A result on one fact or action
therefore holds for all that differ from it only by objects of the same class.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from orrery.model import Atom
from orrery.planning.task import PlanningTask


class Occurrences:
    """The facts and actions of some layers, by the objects in them."""

    def __init__(self, layers: Mapping[str, Collection[Atom]]) -> None:
        """Index each layer by object."""
        self._places: dict[str, set[tuple[str, Atom]]] = defaultdict(set)
        for layer, atoms in layers.items():
            for atom in atoms:
                for name in atom[1:]:
                    self._places[name].add((layer, atom))

    @property
    def objects(self) -> frozenset[str]:
        """The objects that occur."""
        return frozenset(self._places)

    def profile(self, name: str) -> tuple[tuple[str, str, int, int], ...]:
        """Return the number of occurrences of an object, by layer, predicate and position."""
        counts = Counter(
            (layer, atom[0], position)
            for layer, atom in self._places.get(name, ())
            for position, argument in enumerate(atom[1:])
            if argument == name
        )
        return tuple(sorted((*place, count) for place, count in counts.items()))

    def keeps(self, first: str, second: str) -> bool:
        """Return whether exchanging the two objects maps each layer onto itself."""
        places = self._places.get(first, set()) | self._places.get(second, set())
        swap = {first: second, second: first}
        return all(
            (layer, (atom[0], *[swap.get(name, name) for name in atom[1:]])) in places
            for layer, atom in places
        )


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

    Constants of the domain are omitted, because its actions may mention them.
    """
    layers = {f"fixed {number}": atoms for number, atoms in enumerate(fixed)}
    occurrences = Occurrences({"facts": task.facts, "actions": task.action_of.keys(), **layers})
    by_profile: dict[tuple[object, ...], list[list[str]]] = defaultdict(list)
    for typed in sorted(task.problem.objects):
        classes = by_profile[typed.types, occurrences.profile(typed.name)]
        for members in classes:
            if occurrences.keeps(members[0], typed.name):
                members.append(typed.name)
                break
        else:
            classes.append([typed.name])
    interchangeable = (tuple(members) for classes in by_profile.values() for members in classes)
    return Symmetry(tuple(sorted(members for members in interchangeable if len(members) > 1)))


def goal_facts(task: PlanningTask) -> tuple[frozenset[Atom], frozenset[Atom]]:
    """Return the positive and negative facts of the goal, which a symmetry of plans must preserve."""
    return task.facts_of(task.goal_positive), task.facts_of(task.goal_negative)
