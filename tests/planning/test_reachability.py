"""What random walks show of a task that is taken to be too large, without a planner."""

import pytest

from orrery.planning.decide import decide
from orrery.planning.grounding import ground
from tests.every_domain import CATALOG, easy_problems, entry

WITHOUT_PLANNER = {"max_states": 1, "calls": 0}


TOO_LARGE = ("floor-tile",)  # no problem is small enough to know the truth


def tasks(name, count):
    return [ground(entry(name).domain, problem) for problem in easy_problems(name, count)]


@pytest.mark.parametrize("name", CATALOG.names)
def test_what_is_reached_without_a_planner_can_be_and_the_rest_is_open_or_proven(name):
    compared = 0
    for task in tasks(name, 2):
        truth, decided_without = decide(task, max_states=100_000, calls=0), decide(task, **WITHOUT_PLANNER)
        if truth.num_states is None:
            continue
        compared += 1
        assert decided_without.reachable_actions <= truth.reachable_actions
        assert decided_without.unreachable_facts.keys() <= truth.unreachable_facts.keys()
        still_open = {
            message.partition(": ")[2]
            for message in decided_without.undecided
            if message.startswith("action: ")
        }
        missed = truth.reachable_actions - decided_without.reachable_actions
        assert {" ".join(step) for step in missed} <= still_open
    assert compared or name in TOO_LARGE
