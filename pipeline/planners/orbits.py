"""Interchangeable objects laid out for the compiled loops: one state of each orbit is enough to search.

States that differ only in which of some interchangeable objects holds what have the same distance to a goal
that does not tell those objects apart; so has what is found from one for what is found from another.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pipeline.model import Atom
from pipeline.planners.sweep_kernel import Orbits
from pipeline.semantics.symmetry import Symmetry
from pipeline.semantics.task import Task

MOST_ROLES = 64  # the bits of a word


def lay_out(task: Task, symmetry: Symmetry) -> Orbits:
    """The classes of ``symmetry`` in which no fact names two objects and no object has too many facts.

    The others are passed over: fewer symmetries are used, and none wrongly.
    """
    tables = [table for names in symmetry.classes if (table := _table(task, names))]
    lengths = [len(table) * len(table[0]) for table in tables]
    return Orbits(
        start=np.array([sum(lengths[:c]) for c in range(len(tables))], np.int32),
        size=np.array([len(table) for table in tables], np.int32),
        width=np.array([len(table[0]) for table in tables], np.int32),
        facts=np.array([fact for table in tables for row in table for fact in row], np.int32),
    )


def _table(task: Task, names: Iterable[str]) -> list[list[int]]:
    """For every object the facts that name it, by role; empty where that makes no table."""
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
