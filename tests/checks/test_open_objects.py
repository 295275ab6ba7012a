"""Open objects, by the words of passages and by plans: right rows pass, changed ones do not."""

import json

import pytest

from orrery.checks.open_objects import OpenObjects
from orrery.language.words import names_by_type
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_atom
from tests.every_domain import CATALOG, drawn, entry

TASKS = {(name, p.name): p for name in CATALOG.names for p in entry(name).tasks}


@pytest.fixture(scope="session")
def places(rows):
    """The texts of the build, each with the check of its problem."""
    problems = {row["id"]: row for row in rows["problems"]}
    texts_by_name = {text_name(row): row for row in rows["texts"]}
    faults_read = []
    for row in rows["text_to_pddl"]:
        problem = problems["/".join(row["id"].split("/")[:3])]
        place, task = entry(row["domain"]), TASKS[row["domain"], row["task"]]
        read = read_problem(problem["problem_pddl"], place.domain)
        check = check_of(place, read, task, json.loads(problem["parameters"]), problem["plan"])
        if row["vocabulary"] == "plain" and not row["paraphrase"]:
            faults_read.append(({**texts_by_name[row["id"]], **row}, check))
    return faults_read


def check_of(place, problem, task, parameters, plan):
    """The check of a problem."""
    return OpenObjects(place.domain, problem, task, parameters, plan, place.planner)


def text_name(row):
    return f"{row['problem_id']}/{row['mixture']}"


def test_a_column_changed_alone_is_seen(places):
    for row, check in places:
        assert check.check({**row, "is_placeholder": 1 - row["is_placeholder"]})
        if row["open_objects"]:
            assert check.check({**row, "open_objects": row["open_objects"][1:]})
        foreign_names = sorted({typed.name for typed in check.problem.objects} - set(row["open_objects"]))
        if foreign_names:
            assert check.check({**row, "open_objects": sorted([*row["open_objects"], foreign_names[0]])})


def test_a_passage_with_other_names_leaves_other_objects_open(places):
    row, check = next(pair for pair in places if pair[0]["init_is_abstract"] and pair[0]["is_placeholder"])
    fixed = next(typed.name for typed in check.problem.objects if typed.name not in row["open_objects"])
    (message,) = check.check({**row, "init_text": "Something else.", "goal_text": "Another thing."})
    assert f"should be {fixed}" in message or f" {fixed}" in message.partition("should be")[2]


@pytest.mark.parametrize("seed", range(4))
def test_exchanges_make_up_the_permutations_of_a_star(monkeypatch, seed):
    """Its middle moves to no ray, and all rays exchange: going through all permutations would take ages."""

    def never(*_arguments, **_options):
        raise AssertionError("permutations are searched")

    monkeypatch.setattr("orrery.checks.open_objects.generators", never)
    place = entry("rover-single")
    task = TASKS["rover-single", "star_navigate-to-transmit_all"]
    generated = drawn("rover-single", task, "hard", seed)
    parameters = {"init": generated.init_parameters, "goal": generated.goal_parameters}
    plan = [write_atom(step) for step in place.planner(generated.problem)]
    check = check_of(place, generated.problem, task, parameters, plan)
    row = text_of(generated, check)
    right = [check.check({**row, "is_placeholder": stated}) == [] for stated in (0, 1)]
    assert sum(right) == 1


def text_of(generated, check):
    """The row of the text whose initial state is told fact by fact, and whose goal by a passage."""
    names = names_by_type(generated.problem, check.domain)
    goal = entry(check.domain.name).words.passage(
        "goal", generated.task.goal, generated.goal_parameters, names
    )
    open_names = sorted(typed.name for typed in generated.problem.objects)
    return {
        "init_is_abstract": 0,
        "goal_is_abstract": 1,
        "init_text": "",
        "goal_text": goal,
        "open_objects": open_names,
    }
