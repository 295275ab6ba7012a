"""Problems of a domain's text: what a search in parts decides is what one search decides."""

import pytest

from orrery.pddl.write import write_problem
from orrery.planning import adl_domain
from orrery.planning.adl_domain import SearchLimits, executable_domain
from orrery.planning.exhaustive_python import explore
from orrery.planning.grounding import ground
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.refutation import refuted
from tests.every_domain import CATALOG, ROOT, easy_problems, entry
from tests.planning.small_tasks import random_task

LIMITS = SearchLimits(states=400)


@pytest.mark.parametrize("states", [1, 3, 30, 1000])
def test_a_search_in_parts_decides_what_one_search_decides(states, monkeypatch):
    monkeypatch.setattr(adl_domain, "_PARTS", (2, 10))
    for task in map(random_task, range(40)):
        space, answer = explore(task, limit=states), adl_domain._by_exhaustion(task, states)
        if space.proven_plan() is not None:
            assert answer.outcome is PlannerOutcome.SOLVED_OPTIMALLY
            assert answer.plan == space.proven_plan()
        elif reason := refuted(task):
            assert (answer.solvable, answer.detail) == (False, reason)
        elif space.complete:
            assert (answer.solvable, answer.detail) == (False, "exhaustion")
        else:
            assert answer is None


@pytest.mark.parametrize("name", CATALOG.names)
def test_a_plan_of_few_states_is_that_of_exhaustive_search(name):
    world = executable_domain((ROOT / "domains" / name / "domain.pddl").read_text())
    for problem in easy_problems(name, 2):
        answer = world.solve(write_problem(problem), LIMITS)
        space = explore(ground(entry(name).domain, problem), limit=LIMITS.states)
        if (plan := space.proven_plan()) is not None:
            assert answer.plan == plan
