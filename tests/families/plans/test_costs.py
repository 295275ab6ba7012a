"""What actions cost."""

from dataclasses import replace

import pytest

from orrery.config import Description
from orrery.families.plans.tasks.optimal import action_costs
from orrery.seeds import stream
from tests.every_domain import CATALOG, entry


class Costly:
    """An entry whose domain or description says what actions cost."""

    def __init__(self, name, costs=None, pddl=None):
        domain = entry(name).domain
        actions = tuple(replace(a, cost=pddl.get(a.name)) for a in domain.actions) if pddl else domain.actions
        self.domain = replace(domain, actions=actions)
        self.description = Description(costs=costs)


def same(name):
    return {action.name: action.name for action in entry(name).domain.actions}


@pytest.mark.parametrize("name", CATALOG.names)
def test_drawn_costs_differ_wherever_there_are_two_actions(name):
    costs = action_costs(entry(name), same(name), stream(1, name))
    assert all(cost >= 1 for cost in costs.values())
    assert len(set(costs.values())) > 1 or len(costs) == 1
    assert costs == action_costs(entry(name), same(name), stream(1, name))


def test_the_description_goes_before_the_domain():
    costly = Costly("ferry", {"sail": 5}, {"sail": 7})
    assert action_costs(costly, same("ferry"), stream(1)) == {"sail": 5, "board": 1, "debark": 1}


def test_the_domain_goes_before_the_draw():
    costly = Costly("ferry", None, {"sail": 7, "board": 2})
    assert action_costs(costly, same("ferry"), stream(1)) == {"sail": 7, "board": 2, "debark": 0}


def test_costs_that_depend_on_objects_are_none():
    assert (
        action_costs(Costly("ferry", None, {"sail": ("way", "?a", "?b")}), same("ferry"), stream(1)) is None
    )


def test_costs_bear_the_names_of_the_vocabulary():
    renamed = {"sail": "glip", "board": "zonk", "debark": "murr"}
    assert action_costs(Costly("ferry", {"sail": 5}), renamed, stream(1)) == {"glip": 5, "zonk": 1, "murr": 1}
