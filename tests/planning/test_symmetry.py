"""Interchangeable objects: found where exchanging them changes nothing, by trying it on all there is."""

from itertools import combinations

import pytest

from orrery.planning.symmetry import goal_facts, symmetry
from tests.planning.small_tasks import object_task

SEEDS = range(60)


def exchanged(atoms, first, second):
    swap = {first: second, second: first}
    return {(atom[0], *[swap.get(name, name) for name in atom[1:]]) for atom in atoms}


def fixes(sets, first, second):
    return all(exchanged(atoms, first, second) == set(atoms) for atoms in sets)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_objects_are_together_just_where_their_exchange_fixes_everything(seed):
    task = object_task(seed)
    for fixed in ([task.facts_of(task.init)], goal_facts(task)):
        sets = [task.facts, task.action_of, *fixed]
        together = {pair for names in symmetry(task, *fixed).classes for pair in combinations(names, 2)}
        alike = [(x.name, y.name) for x, y in combinations(task.problem.objects, 2) if x.types == y.types]
        assert together == {tuple(sorted(pair)) for pair in alike if fixes(sets, *pair)}


def test_representatives_are_shared_by_what_an_exchange_maps_on_each_other():
    task = next(
        task for task in map(object_task, SEEDS) if len(symmetry(task, *goal_facts(task)).classes) > 1
    )
    symmetry_found = symmetry(task, *goal_facts(task))
    for names in symmetry_found.classes:
        for x, y in combinations(names, 2):
            for atom in (*task.facts, *task.action_of):
                (twin,) = exchanged([atom], x, y)
                assert symmetry_found.representative(atom) == symmetry_found.representative(twin)
    assert symmetry_found.representative(
        symmetry_found.representative(task.facts[-1])
    ) == symmetry_found.representative(task.facts[-1])
