"""Published PDDL in the eyes of another tool; a call takes a second or two."""

import pytest

from pipeline.checks.retold import check
from tests.every_domain import CATALOG, entry


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOG.names)
def test_another_tool_reads_and_solves_the_rows_of_every_domain(rows, name):
    row = next(row for row in rows["problems"] if row["domain"] == name)
    assert check(entry(name).domain, row, 60.0) == []


@pytest.mark.slow
def test_another_tool_contradicts_a_wrong_verdict_and_refuses_wrong_pddl(rows):
    row = next(row for row in rows["problems"] if row["domain"] == "blocksworld")
    domain = entry("blocksworld").domain
    assert check(domain, {**row, "solvable": False}, 60.0) == ["stated unsolvable, solved"]
    hopeless = row["problem_pddl"].replace("(:goal (and", "(:goal (and (on b1 b1)")
    assert check(domain, {**row, "problem_pddl": hopeless}, 60.0) == ["stated solvable, proven unsolvable"]
    assert "fails on the PDDL" in check(domain, {**row, "problem_pddl": "(define"}, 60.0)[0]
