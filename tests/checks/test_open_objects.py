"""Open objects, by writing passages again with marks and by plans: right rows pass, changed ones do not."""

import json

import pytest

from orrery.checks.open_objects import OpenObjects
from orrery.pddl.read import read_problem
from tests.every_domain import CATALOG, entry

TASKS = {(name, p.name): p for name in CATALOG.names for p in entry(name).tasks}


@pytest.fixture(scope="session")
def places(rows):
    """The texts of the build, each with the check of its problem."""
    problems = {row["id"]: row for row in rows["problems"]}
    made = {text_name(row): row for row in rows["texts"]}
    found = []
    for row in rows["text_to_pddl"]:
        problem = problems["/".join(row["id"].split("/")[:3])]
        here = entry(row["domain"])
        check = OpenObjects(
            here.words,
            here.domain,
            read_problem(problem["problem_pddl"], here.domain),
            TASKS[row["domain"], row["task"]],
            json.loads(problem["parameters"]),
            problem["plan"],
            here.planner,
        )
        if row["vocabulary"] == "plain" and not row["paraphrase"]:
            found.append(({**made[row["id"]], **row}, check))
    return found


def text_name(row):
    return f"{row['problem_id']}/{row['mixture']}"


def test_rows_as_they_were_made_pass(places):
    kinds = set()
    for row, check in places:
        assert check.check(row) == [], row["id"]
        kinds.add((row["domain"], row["is_placeholder"]))
    assert {("gripper", 1), ("blocksworld", 1), ("ferry", 1), ("floor-tile", 1), ("visitall", 0)} <= kinds
    assert ("visitall", 1) not in kinds


def test_a_column_changed_alone_is_seen(places):
    for row, check in places:
        assert check.check({**row, "is_placeholder": 1 - row["is_placeholder"]})
        if row["open_objects"]:
            assert check.check({**row, "open_objects": row["open_objects"][1:]})
        others = sorted({one.name for one in check.problem.objects} - set(row["open_objects"]))
        if others:
            assert check.check({**row, "open_objects": sorted([*row["open_objects"], others[0]])})


def test_a_passage_that_is_none_of_the_wordings_is_undecided(places):
    row, check = next(each for each in places if each[0]["init_is_abstract"] and each[0]["is_placeholder"])
    (message,) = check.check({**row, "init_text": "Something else."})
    assert message.startswith("undecided")
