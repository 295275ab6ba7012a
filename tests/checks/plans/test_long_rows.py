"""Rows on problems with long plans: they stand as they are made, and other bounds in them are seen."""

import json
from dataclasses import replace
from functools import cache

import pytest

from orrery.checks.inputs import CheckedProblem
from orrery.checks.plans import check_problem
from orrery.checks.verdicts import Verdicts
from orrery.config import BANDS
from orrery.families.drafts import Draft
from orrery.families.plans.posing import MOST_CHARACTERS, drafts_of
from orrery.families.plans.source import Source, neutral_name
from orrery.families.plans.tasks import plan_tasks
from orrery.families.questions.state_record import StateRecord
from orrery.pddl.write import write_atom
from orrery.planning.grounding import Grounder
from orrery.planning.plans import Solver
from orrery.problems.horizon import Horizon
from orrery.problems.quotas import LADDER
from orrery.seeds import stream
from orrery.stages.generate_plan_tasks import LONG_TASKS
from tests.checks.plans.checked import INPUTS
from tests.effort import by_day, slow
from tests.every_domain import entry
from tests.generators.test_ladders import LADDERS, LONGEST

# In goldminer a plan clears all cells on its way. In visitall all goals are alike, and every step needs the
# one before it. In rovers not every draw has a plan of which something can be reused.
NO_ROWS = {("goldminer", "reuse"), ("visitall", "reuse"), ("visitall", "causality"), ("rovers", "reuse")}


@cache
def long_source(name, steps):
    place = entry(name)
    problem = place.ladder(steps, stream(9, name, steps))
    problem = replace(problem, name=neutral_name(problem))
    plan = Solver(Grounder(place.domain), place.planner).find(problem).answer.plan
    record = StateRecord(place.domain, problem, f"{name}/test/000000", solvable=True, plan=plan.steps)
    row = {"split": "test", "task": LADDER.name, "goal_configuration": "ladder", "goal_parameters": "{}"}
    return Source(place, record, row, place.words, "plain", 5, 0)


@cache
def rows(name, task, steps):
    source = long_source(name, steps)
    drafts = drafts_of(source, plan_tasks()[task], stream(6, name, task))
    return [row for draft in drafts if isinstance(draft, Draft) and not draft.half for row in draft.rows]


@cache
def sound(name, task, steps):
    """The rows of a task, which have no faults."""
    made = rows(name, task, steps)
    assert faults(name, task, made, steps) == []
    return made


def faults(name, task, listed, steps):
    source = long_source(name, steps)
    row = {
        **dict.fromkeys(["difficulty", "names", "seen", "seed_path"], ""),
        "id": source.record.problem_id,
        "domain": name,
        "num_objects": len(source.problem.objects),
        "parameters": json.dumps({"init": {}, "goal": {}}),
        "goal": "ladder",
        "plan": [write_atom(step) for step in source.record.plan],
    }
    by_table, found = {f"plan_{task}": listed}, Verdicts()
    check_problem(CheckedProblem(INPUTS, entry(name), LADDER, row, source.problem, by_table, False), found)
    return [fault for finding in found.findings for fault in finding.faults]


@slow
@pytest.mark.parametrize("steps", [25, 100])
@pytest.mark.parametrize("task", LONG_TASKS)
@pytest.mark.parametrize("name", LADDERS)
def test_rows_on_long_plans_have_no_faults(name, task, steps):
    assert sound(name, task, steps) or (name, task) in NO_ROWS


@by_day(2)
@pytest.mark.parametrize("task", LONG_TASKS)
def test_rows_of_every_task_on_a_long_plan_have_no_faults(task):
    assert sound("ferry", task, 50)


@slow
def test_eight_domains_have_rows_of_every_band():
    """Up to 25 steps; a slow test has those of a hundred."""
    assert_rows_of_bands(25)


@slow
def test_eight_domains_have_long_rows():
    assert_rows_of_bands(50, 100)


@slow
@pytest.mark.parametrize("name", [name for name, band in LONGEST if band == BANDS[-1]])
def test_rows_of_the_longest_band_have_no_faults(name):
    made = sound(name, "generation", BANDS[-1])
    assert made
    for end in ("", "_pddl"):
        assert len(made[0][f"context{end}"]) + len(made[0][f"question{end}"]) <= MOST_CHARACTERS


def assert_rows_of_bands(*bands):
    for band in bands:
        listed = [rows(name, "generation", band) for name in LADDERS]
        within = [each for each in listed if each and Horizon(**each[0]["horizon"]).band == band]
        assert len(within) >= 8


@by_day(8)
@pytest.mark.parametrize(
    "change",
    [
        lambda h: {"lower": h["lower"] - 1},
        lambda h: {"lower": h["lower"] + 1},
        lambda h: {"upper": h["upper"] - 1},
        lambda h: {"upper": h["upper"] + 1},
        lambda h: {"lower_proof": "landmarks" if h["lower_proof"] == "closed_form" else "closed_form"},
        lambda h: {"lower_proof": "search"},
        lambda h: {"upper_proof": "search"},
        lambda h: {"upper_proof": "guess"},
    ],
)
@pytest.mark.parametrize("name", ["ferry", "rovers"])
def test_other_bounds_are_seen(name, change):
    made = sound(name, "generation", 50)
    horizon = made[0]["horizon"]
    assert faults(name, "generation", [{**made[0], "horizon": {**horizon, **change(horizon)}}], 50)


def test_a_length_that_the_bounds_do_not_prove_is_seen():
    made = rows("rovers", "generation", 50)
    assert made[0]["h_star"] is None
    assert faults("rovers", "generation", [{**made[0], "h_star": made[0]["horizon"]["upper"]}], 50)
