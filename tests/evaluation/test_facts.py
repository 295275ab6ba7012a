"""What is told of a row: the columns that scores are grouped by."""

from dataclasses import replace

import pytest

from orrery.evaluation.asked import facts_of, representation_of
from orrery.evaluation.results.runs import scores_schema
from tests.evaluation.samples import ASKING, items, told_in
from tests.library.samples import IN_ONE_PROCESS, fresh

pytestmark = IN_ONE_PROCESS


@pytest.mark.parametrize("table", ASKING)
def test_they_are_columns_of_the_table_of_scores(table):
    item = items(table)[0]
    facts = facts_of(item, "test")
    columns = scores_schema()
    assert set(facts) <= set(columns.names)
    assert (facts["table"], facts["split"], facts["id"]) == (table, "test", item.row["id"])
    assert facts["domain"] == item.row["domain"]
    assert facts["problem_id"] == item.row.get("problem_id")
    for name, value in facts.items():
        assert value is not None or columns.field(name).nullable
    kind, form = [*table.split("_")[1:], ""][:2] if table.startswith("acp") else ("", "")
    kind = table.removeprefix("plan_") if table.startswith("plan_") else kind
    assert (facts["kind"], facts["format"]) == (kind, form)


def test_the_length_of_a_plan_is_that_of_the_row_or_of_its_plan():
    item = fresh("text_to_pddl")[0]
    assert facts_of(item, "test")["plan_length"] == len(item.row["plan"])
    assert (
        facts_of(fresh("plan_generation")[0], "test")["plan_length"]
        == fresh("plan_generation")[0].row["plan_length"]
    )
    assert facts_of(fresh("acp_app_gen")[0], "test")["plan_length"] is None
    question = fresh("acp_app_gen")[0]
    assert facts_of(question, "test")["objects"] == question.row["num_objects"] > 0
    without = replace(item, row={**item.row, "solvable": False, "plan": []})
    assert facts_of(without, "test")["plan_length"] is None


def test_composed_domains_are_told_apart_in_any_table_that_has_the_column():
    item = fresh("acp_app_gen")[0]
    assert (facts_of(item, "test")["seen"], facts_of(item, "test")["explicitness"]) == ("", "")
    composed = replace(item, row={**item.row, "seen": "theme", "explicitness": "sparse"})
    assert (facts_of(composed, "test")["seen"], facts_of(composed, "test")["explicitness"]) == (
        "theme", "sparse",
    )  # fmt: skip


def test_the_representation_is_that_of_the_style():
    named = ("zero_shot", "two_shot_pddl", "zero_shot_both", "all", "reasoned", "reasoned_pddl")
    assert [representation_of(style) for style in named] == [
        "words",
        "pddl",
        "both",
        "words",
        "words",
        "pddl",
    ]
    item = told_in(fresh("acp_app_gen")[0], "two_shot_pddl")
    assert facts_of(item, "train")["representation"] == "pddl"
