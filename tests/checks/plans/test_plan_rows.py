"""Rows as they are made stand; with another value in any column they do not."""

import json
from dataclasses import replace

import pytest

from orrery.checks import family_checks, plans, verdict_parts
from orrery.checks.plans.tasks import task_checks
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Note, Verdicts
from orrery.families.plans.tasks import PLANS
from tests.checks.plans.checked import INPUTS, changed, faults, made, some
from tests.effort import by_day, slow
from tests.store.samples import row as row_of
from tests.store.samples import write_shards
from tests.tables import PUBLISHED

DOMAINS = ("blocksworld", "ferry", "visitall", "swap", "floortile", "gripper", "logistics", "depots", "grid")
COLUMNS = [(task, name) for task, schema in PLANS.items() for name in schema.names]


def test_there_are_rows_of_every_task():
    for task in PLANS:
        assert some(task, *DOMAINS)


def test_every_task_has_a_check_that_vouches_for_its_columns():
    assert list(task_checks().by_name) == sorted(PLANS)
    vouched = {name for names in family_checks()["plans"].columns.values() for name in names}
    assert {name for schema in PLANS.values() for name in schema.names} <= vouched


def another(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value / 2
    if isinstance(value, list):
        return value[:-1] if value else ["(nothing)"]
    if value is None:
        return 3
    return f"{value[: len(value) // 2]}x{value[len(value) // 2 :]}"


def spoilt(row, column):
    """A value that the column of a row must not have."""
    return SPOILT.get(column, lambda row, column: another(row[column]))(row, column)


def without_a_key(row, column):
    content = json.loads(row[column])
    return json.dumps({name: content[name] for name in sorted(content)[1:]})


def with_another_effect(row, column):
    before, mark, after = row[column].partition(":effect (and (not ")
    return before + ":effect (and " + after.replace(")", "", 1) if mark else row[column] + "x"


def with_another_line(row, column):
    listed = "\n1. " in row[column]
    return row[column].replace("\n1. ", "\n2. ", 1) if listed else row[column] + "\n- (something else)"


def with_a_shorter_plan(row, column):
    first, *others = row[column]
    return [{**first, "plan": first["plan"][:-1]}, *others]


def with_other_bounds(row, column):
    if row[column] is None:
        return {"lower": 2, "upper": 2, "lower_proof": "search", "upper_proof": "search"}
    return {**row[column], "lower": row[column]["lower"] - 1}


def another_fault(row, _column):
    return "goal_missed" if row["fails_at"] else "exchanged" if row["valid"] else ""


def without_a_fact(row, column):
    """A problem in PDDL without the first fact of its initial state."""
    before, mark, after = row[column].partition("(:init (")
    return before + mark[:-1] + after.partition(") ")[2]


SPOILT = {
    "action_costs": without_a_key,
    "object_costs": without_a_key,
    "question_type": lambda row, _column: {"provider": "fails", "fails": "provider"}[row["question_type"]],
    "context": lambda row, _column: row["context"].replace(".", ". Some say so.", 1),
    "context_pddl": without_a_fact,
    "domain_pddl": with_another_effect,
    "fault": another_fault,
    "form": lambda row, _column: {"plain": "completed", "completed": "reduced"}.get(row["form"], "unheard"),
    "horizon": with_other_bounds,
    "nl_templates": without_a_key,
    "problem_pddl": without_a_fact,
    "question": with_another_line,
    "question_pddl": with_another_line,
    "given_examples": with_a_shorter_plan,
    "given_problem_pddl": without_a_fact,
    "vocabulary": lambda _row, _column: "misleading",
}


@slow
@pytest.mark.parametrize(("task", "column"), COLUMNS)
def test_another_value_in_a_column_is_seen(task, column):
    name, listed = some(task, *DOMAINS)
    for place, row in enumerate(listed[:4]):
        value = spoilt(row, column)
        if column in ("h_star", "num_states") and row[column] is None:
            continue
        assert value != row[column]
        rows = changed(listed, place, **{column: value})
        assert faults(name, task, rows, row["problem_id"]), (row["id"], value)


@by_day(6)
@pytest.mark.parametrize("task", PLANS)
@pytest.mark.parametrize("column", ["context", "context_pddl"])
def test_what_another_row_says_is_seen(task, column):
    name, listed = some(task, *DOMAINS, vocabularies=("plain", "meaningless"))
    row = next(each for each in listed if each["vocabulary"] == "plain")
    other = next(each for each in listed if each["vocabulary"] != "plain")
    rows = changed(listed, listed.index(row), **{column: other[column]})
    assert faults(name, task, rows)


@slow
@pytest.mark.parametrize("task", PLANS)
@pytest.mark.parametrize("column", ["question", "question_pddl"])
def test_a_question_that_says_less_or_more_is_seen(task, column):
    name, listed = some(task, *DOMAINS)
    text = listed[0][column]
    first, _, rest = text.partition("\n")
    for other in (rest, f"{text}\nThink well.", text.replace(first, first.replace(" ", " not ", 1))):
        assert faults(name, task, changed(listed, 0, **{column: other}))


def test_shares_are_compared_as_they_were_noted(tmp_path):
    """Notes come back from disk; each task's comparison takes them as ``note`` gave them."""
    noted, rows = Verdicts(), {}
    for task, check in task_checks().by_name.items():
        if check.note:
            rows[task] = [row for listed in made("blocksworld", task) for row in listed]
            for row in rows[task]:
                noted.notes.append(Note(plans.SHARES, row["id"], task, json.dumps(check.note(row))))
    verdict_parts.part_of(tmp_path, "same").save(verdict_parts.as_tables(noted))
    write_shards(tmp_path, PUBLISHED["problems"], "train", [row_of(PUBLISHED["problems"])])
    compared = Verdicts()
    plans.check_dataset(replace(INPUTS, dataset=tmp_path), Notes(tmp_path), compared)
    faults = {finding.row: list(finding.faults) for finding in compared.findings}
    assert rows
    for task, check in task_checks().by_name.items():
        if check.across:
            values = [check.note(row) for row in sorted(rows[task], key=lambda row: row["id"])]
            assert faults.get(f"plan_{task}", []) == check.across(values)
    assert compared.checked["plan splits", ""] == 1
