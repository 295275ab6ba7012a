"""A problem's names are those of its stream: other names, columns and splits are told."""

import pytest

from orrery.checks.inputs import CheckedProblem, CheckInputs
from orrery.checks.problems import _origin_faults
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem
from orrery.seeds import stream
from orrery.store.kinds import as_json
from tests.every_domain import ROOT, entry
from tests.problems.test_named import named_row

SEED, NAME, LEVEL = 11, "ferry", "easy"
INPUTS = CheckInputs(ROOT, ROOT, (NAME,), SEED, 5.0)
TASK = entry(NAME).tasks[0]


def row(split, style):
    """The row of the first problem whose names the column would tell so."""
    for number in range(200):
        path = (NAME, LEVEL, TASK.name, str(number))
        made = entry(NAME).make(TASK, LEVEL, stream(SEED, *path))
        parameters = as_json(made.init_parameters), as_json(made.goal_parameters)
        told = named_row(NAME, SEED, split, "/".join(path), write_problem(made.problem), *parameters)
        if told.names == style:
            return {
                "id": f"{NAME}/{split}/000000",
                "problem_id": f"{NAME}/{split}/000000",
                "init": TASK.init,
                "goal": TASK.goal,
                "difficulty": LEVEL,
                "seed_path": "/".join(path),
                "names": told.names,
                "parameters": f'{{"goal":{told.goal_parameters},"init":{told.init_parameters}}}',
                "problem_pddl": told.problem_pddl,
            }
    raise AssertionError(style)


def faults(row):
    problem = read_problem(row["problem_pddl"], entry(NAME).domain)
    return _origin_faults(CheckedProblem(INPUTS, entry(NAME), TASK, row, problem, {}, False))


@pytest.mark.parametrize(
    ("split", "style"),
    [
        ("train", "numbered"),
        ("train", "cities+colours"),
        ("test", "animals-new"),
        ("test", "cities+colours-new"),
    ],
)
def test_rows_as_they_are_made_pass(split, style):
    assert faults(row(split, style)) == []


@pytest.mark.parametrize("said", ["numbered", "cities", "cities+colours-new", ""])
def test_another_column_is_told(said):
    assert faults({**row("train", "cities+colours"), "names": said}) == [
        f"names is {said}, should be cities+colours"
    ]


def test_numbered_names_are_told_where_others_are_drawn():
    given = row("train", "cities+colours")
    path = given["seed_path"].split("/")
    plain = entry(NAME).make(TASK, LEVEL, stream(SEED, *path)).problem
    found = faults({**given, "problem_pddl": write_problem(plain), "names": "numbered"})
    assert "the problem is not the one that seed_path leads to" in found


def test_two_objects_that_change_names_are_told():
    given = row("train", "cities+colours")
    first, second = [
        each.name for each in read_problem(given["problem_pddl"], entry(NAME).domain).objects[:2]
    ]
    swapped = given["problem_pddl"].replace(first, "?").replace(second, first).replace("?", second)
    assert faults({**given, "problem_pddl": swapped}) != []


def test_new_names_are_told_outside_of_test_splits():
    given = row("test", "animals-new")
    found = faults({**given, "id": f"{NAME}/train/000000", "problem_id": f"{NAME}/train/000000"})
    assert "objects have names of test splits" in found
