"""Interchangeable objects laid out for the compiled loops: one state of each orbit is enough to search.

States that differ only in which of some interchangeable objects holds what have the same distance to a goal
that does not distinguish those objects. A state is brought into a normal form by sorting what holds of the
objects, class after class. Where facts name objects of several classes an orbit can have more than one normal
form: that costs some of the reduction, and is why plans are followed from normal form to normal form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from orrery.model import Atom, Step
from orrery.planners.exhaustive_kernel import Indices, Orbits
from orrery.semantics.progression import progress
from orrery.semantics.symmetry import Symmetry
from orrery.semantics.task import GroundAction, PlanningTask, union

MOST_ROLES = 64  # the bits of a word


@dataclass(frozen=True, slots=True)
class Form:
    """A state in normal form; ``names`` says for which object each object stands (left out: itself)."""

    mask: int
    names: Mapping[str, str] = field(default_factory=dict)

    def real(self, step: Step) -> Step:
        """Return the step from the state meant that ``step`` is from the normal form."""
        return (step[0], *[self.names.get(name, name) for name in step[1:]])


class Classes:
    """The classes of a symmetry in which no fact names two objects and no object has too many facts.

    The others are passed over: fewer symmetries are used, and none wrongly.
    """

    def __init__(self, task: PlanningTask, symmetry: Symmetry) -> None:
        """Find the facts of every object of ``task`` that has others to change places with."""
        tables = [(names, table) for names in symmetry.classes if (table := _table(task, names))]
        self._tables = tables
        lengths = [len(table) * len(table[0]) for _, table in tables]
        self.arrays = Orbits(
            start=np.array([sum(lengths[:c]) for c in range(len(tables))], np.int32),
            size=np.array([len(table) for _, table in tables], np.int32),
            width=np.array([len(table[0]) for _, table in tables], np.int32),
            facts=np.array([fact for _, table in tables for row in table for fact in row], np.int32),
            **_overlaps(task, [union(1 << fact for row in table for fact in row) for _, table in tables]),
        )

    def form(self, mask: int) -> Form:
        """Return the normal form of a state: the one that ``exhaustive_kernel.normalise`` gives."""
        moved: dict[str, str] = {}
        for names, table in self._tables:
            keys = [[mask >> fact & 1 for fact in row] for row in table]
            order = sorted(range(len(table)), key=keys.__getitem__, reverse=True)
            for place, origin in enumerate(order):
                if place != origin:
                    moved[names[place]] = names[origin]
                    mask = _written(mask, table[place], keys[origin])
        return Form(mask, moved)

    def after(self, form: Form, action: GroundAction) -> Form:
        """Return the normal form of the state after an action of ``form``."""
        found = self.form(progress(form.mask, action))
        stand_for = {name: form.names.get(origin, origin) for name, origin in found.names.items()}
        return Form(found.mask, {**form.names, **stand_for})


def _overlaps(task: PlanningTask, masks: Sequence[int]) -> dict[str, Indices]:
    """Return which of the classes, given by their facts, each action changes, and which share facts."""
    changed = [action.add | action.delete for action in task.actions]
    touched = [[c for c, mask in enumerate(masks) if mask & change] for change in changed]
    shared = [[d for d in range(c + 1, len(masks)) if masks[d] & mask] for c, mask in enumerate(masks)]
    return {
        "touched_from": np.cumsum([0, *map(len, touched)], dtype=np.int32),
        "touched": np.array([c for classes in touched for c in classes], np.int32),
        "shared_from": np.cumsum([0, *map(len, shared)], dtype=np.int32),
        "shared": np.array([c for classes in shared for c in classes], np.int32),
    }


def _written(mask: int, facts: Iterable[int], values: Iterable[int]) -> int:
    """Return the state in which ``facts`` have ``values``."""
    for fact, value in zip(facts, values, strict=True):
        mask = mask | 1 << fact if value else mask & ~(1 << fact)
    return mask


def _table(task: PlanningTask, names: Iterable[str]) -> list[list[int]]:
    """Return for every object the facts that name it, by role; empty where that makes no table."""
    place = {name: row for row, name in enumerate(names)}
    roles: list[dict[Atom, int]] = [{} for _ in place]
    for index, fact in enumerate(task.facts):
        named = [name for name in fact[1:] if name in place]
        if len(named) > 1:
            return []
        for name in named:
            roles[place[name]][tuple("" if part == name else part for part in fact)] = index
    if not 0 < len(roles[0]) <= MOST_ROLES:
        return []
    return [[row[role] for role in sorted(roles[0])] for row in roles]
