"""Interchangeable objects: found where exchanging them changes nothing, by trying it on all there is."""

from itertools import combinations

import pytest

from orrery.equivalence.placeholder import Occurrences
from tests.planning.small_tasks import object_task


def exchanged(atoms, first, second):
    swap = {first: second, second: first}
    return {(atom[0], *[swap.get(name, name) for name in atom[1:]]) for atom in atoms}


@pytest.mark.parametrize("seed", range(60))
def test_an_exchange_keeps_the_layers_just_where_it_fixes_each_of_them(seed):
    task = object_task(seed)
    layers = {"facts": task.facts, "actions": task.action_of, "init": task.facts_of(task.init)}
    occurrences = Occurrences(layers)
    for x, y in combinations([typed.name for typed in task.problem.objects], 2):
        assert occurrences.keeps(x, y) == all(
            exchanged(atoms, x, y) == set(atoms) for atoms in layers.values()
        )
