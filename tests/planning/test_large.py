"""Tasks that are explored whole, decided again as if they were too large: the same answers, or none."""

import pytest

from orrery.planning.decide import decide
from orrery.planning.grounding import ground
from tests.every_domain import drawn, entry
from tests.planning.test_decide import said

KINDS = {"landmarks": "landmark", "facts": "fact", "actions": "action", "optimal_first_actions": "next"}
TINY = {"max_states": 60, "calls": 40, "seconds": 5.0}


def compare(task, plan=None):
    """Where both routes state a set it is the same; the number of sets that the second leaves open."""
    explored = decide(task, max_states=100_000)
    if explored.num_states is None or explored.num_steps > 100_000:
        return 0, 0
    decided = decide(task, plan=plan, **TINY)
    truth, stated = said(task, explored), said(task, decided)
    assert decided.solvable in (None, explored.solvable)
    assert decided.optimal_cost in (None, explored.optimal_cost)
    open_sets = 0
    for column, kind in KINDS.items():
        complete = decided.is_complete(kind) and decided.solvable is not None
        open_sets += not complete
        assert stated[column] == truth[column] if complete else stated[column] <= truth[column]
    assert decided.reachable_actions <= explored.reachable_actions
    return open_sets, len(KINDS)


def tasks(name, difficulty, count):
    place = entry(name)
    for number in range(count):
        generated = drawn(name, place.tasks[number % len(place.tasks)], difficulty, number)
        if generated is not None:
            yield ground(place.domain, generated.problem)


@pytest.mark.parametrize("name", ["ferry", "grippers", "visitall"])
def test_a_problem_of_medium_size(name):
    decided = [compare(task) for task in tasks(name, "medium", 2)]
    assert sum(total for _, total in decided)
    assert sum(undecided_count for undecided_count, _ in decided) <= 2
