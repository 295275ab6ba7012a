"""Plans in rows: every way of spoiling one is seen."""

import pytest

from orrery.checks.problem_plans import check
from orrery.pddl.read import PddlError, read_problem
from tests.every_domain import entry


def faults(row):
    domain = entry(row["domain"]).domain
    return check(domain, read_problem(row["problem_pddl"], domain, row["id"]), row)


def solved(rows, least=2):
    return [row for row in rows["problems"] if row["plan_cost"] is not None and row["plan_cost"] >= least]


def with_plan(row, plan):
    return {**row, "plan": plan, "plan_cost": len(plan)}


@pytest.mark.parametrize(
    "change",
    [
        lambda row: with_plan(row, row["plan"][1:]),
        lambda row: with_plan(row, row["plan"][:-1]),
        lambda row: with_plan(row, []),
        lambda row: with_plan(row, [*row["plan"], "(fly me)"]),
        lambda row: {**row, "plan_cost": None},
        lambda row: {**row, "plan": row["plan"] * 2},
        lambda row: {**row, "solvable": None},
        lambda row: {**row, "solvable": False, "plan": [], "plan_optimal": True},
        lambda row: {**row, "domain_pddl": row["domain_pddl"].replace(":action ", ":action x", 1)},
        lambda row: {**row, "problem_pddl": start_at_goal(row["problem_pddl"])},
    ],
)
def test_a_spoilt_row_is_seen(rows, change):
    for row in solved(rows, least=3):
        assert faults(change(row)), row["id"]


def start_at_goal(text):
    """The problem with the goal already true."""
    goal = text[text.index("(:goal (and ") + len("(:goal (and ") :].split("))\n")[0].rstrip(")") + ")"
    return text.replace("(:init ", f"(:init {goal} ")


def test_another_order_is_seen_where_steps_do_not_commute(rows):
    """It may leave a plan valid; it never may in blocksworld, whose steps alternate."""
    for row in solved(rows):
        if row["domain"] == "blocksworld":
            first, second, *later_steps = row["plan"]
            assert faults({**row, "plan": [second, first, *later_steps]})
            assert faults({**row, "plan": row["plan"][::-1]})


def test_pddl_that_cannot_be_read_names_the_row(rows):
    row = {**rows["problems"][0], "problem_pddl": "(define (problem"}
    with pytest.raises(PddlError, match=row["id"]):
        faults(row)
