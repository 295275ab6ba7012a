"""Published PDDL in the eyes of another tool; a call takes a second or two."""

import pytest

from orrery.checks import external_planner
from orrery.checks.external_planner import StatedPlan, check, check_plans
from orrery.pddl.read import read_problem
from tests.effort import sample
from tests.every_domain import CATALOG, entry

WHOLE = pytest.mark.parametrize("build", [CATALOG.names], ids=["all domains"], indirect=True)


@pytest.mark.slow
@WHOLE
@pytest.mark.parametrize("name", sample(CATALOG.names, 3))
def test_another_tool_reads_and_solves_the_rows_of_every_domain(rows, name):
    row = next(row for row in rows["problems"] if row["domain"] == name)
    assert check(entry(name).domain, row, 60.0) == []


@pytest.mark.slow
def test_another_tool_contradicts_a_wrong_verdict_and_refuses_wrong_pddl(rows):
    row = next(row for row in rows["problems"] if row["domain"] == "blocksworld")
    domain = entry("blocksworld").domain
    assert check(domain, {**row, "solvable": False}, 60.0) == ["stated unsolvable, solved"]
    block = read_problem(row["problem_pddl"], domain).objects[0].name
    hopeless = row["problem_pddl"].replace("(:goal (and", f"(:goal (and (on {block} {block})")
    assert check(domain, {**row, "problem_pddl": hopeless}, 60.0) == ["stated solvable, proven unsolvable"]
    assert "refuses the PDDL" in check(domain, {**row, "problem_pddl": "(define"}, 60.0)[0]


@pytest.mark.slow
@WHOLE
@pytest.mark.parametrize("name", sample(CATALOG.names, 3))
def test_another_tool_finds_the_plans_of_every_domain_valid_and_spoilt_ones_not(rows, name):
    mine = [row for row in rows["problems"] if row["domain"] == name and row["plan"]][:4]
    plans = list(map(stated, mine))
    spoilt = [stated({**row, "id": f"{row['id']}/spoilt", "plan": row["plan"][:-1]}) for row in mine]
    refuted = [plan._replace(name=f"{plan.name}/refuted", valid=False) for plan in spoilt]
    unread = stated({**mine[0], "id": "unread", "problem_pddl": "(define"})
    verdicts = check_plans("external", [*plans, *spoilt, *refuted, unread], 20.0)
    faults = {finding.row: finding.faults for finding in verdicts.findings}
    assert faults.keys() == {plan.name for plan in spoilt} | {"unread"}
    assert all("INVALID" in faults[plan.name][0] for plan in spoilt)
    assert "ParseException" in faults["unread"][0]
    assert verdicts.checked["external", name] == 3 * len(mine) + 1


def test_what_took_too_long_is_undecided_for_every_row(rows, monkeypatch):
    monkeypatch.setattr(external_planner, "validate_plans", lambda plans, **_: [(None, "late")] * len(plans))
    verdicts = check_plans("external", map(stated, rows["problems"][:3]), 1.0)
    assert len(verdicts.findings) == 3
    assert all(finding.undecided and not finding.faults for finding in verdicts.findings)
    assert check_plans("external", [], 1.0).checked == {}


def stated(row):
    return StatedPlan(row["domain"], row["domain_pddl"], row["id"], row["problem_pddl"], tuple(row["plan"]))
