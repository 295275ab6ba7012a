"""The command that grades replies to questions: whole, in pieces, interrupted, and on bad input."""

import json
from collections import Counter
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.scoring.scorers.questions import QuestionScorer
from orrery.store import shards
from tests.question_rows import ROWS
from tests.scoring import command
from tests.scoring.command import predictions, write_lines, write_table

SCHEMA = QuestionScorer.schema()
# Table by the row's name, and for each row a right and a wrong reply.
QUESTIONS = {
    "app": ("acp_app_gen", "ANSWER: (stack b1 b2) (stack b1 b10) (wave)", "ANSWER: (wave)"),
    "app-none": ("acp_app_gen", "ANSWER: None", "ANSWER: (wave)"),
    "prog": ("acp_prog_gen", "ANSWER: pos: (arm-empty) (on b1 b2) neg: (clear b2)", "ANSWER: None"),
    "areach": ("acp_areach_gen", "ANSWER: (go room1 room1)", "ANSWER: (rest)"),
    "areach-few": ("acp_areach_gen", "ANSWER: (carry ball1 room1)", "ANSWER: (rest)"),
    "val": ("acp_val_gen", "ANSWER: 2", "ANSWER: 3"),
    "just": (
        "acp_just_gen",
        "ANSWER: (pick-up b1) (stack b1 b2) (pick-up b2) (stack b2 b10)",
        "ANSWER: None",
    ),
    "land": ("acp_land_gen", "ANSWER: (holding b1)", "ANSWER: None"),
    "reach": ("acp_reach_gen", "ANSWER: (on b2 b2)", "ANSWER: None"),
    "nexta": ("acp_nexta_gen", "ANSWER: (stack b1 b2)", "ANSWER: (wave)"),
    "mc-app": ("acp_app_mcq", "ANSWER: B", "ANSWER: C"),
    "mc-val": ("acp_val_mcq", "ANSWER: B", "ANSWER: C"),
}


def question(name):
    kind = QUESTIONS[name][0].split("_")[1]
    return {"id": f"x/{name}", "kind": kind, "domain": "odd" if "b" in name else "even", **ROWS[name]}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """Every kind in the test split; one row also in train."""
    folder = tmp_path_factory.mktemp("dataset")
    tables = {}
    for name, (table, *_) in QUESTIONS.items():
        tables.setdefault(table, []).append(question(name))
    for table, rows in tables.items():
        write_table(folder, table, rows)
    write_table(folder, "acp_val_gen", [{**question("val"), "id": "x/other"}], "train")
    return folder


def replies(path, pick=0, column="reply"):
    """A file with a reply a row: right ones, or wrong ones."""
    return predictions(path, {f"x/{name}": texts[1 + pick] for name, texts in QUESTIONS.items()}, column)


def right(figures):
    return figures["shares"]["right"]["yes"]


call = partial(command.call, "questions")


@pytest.mark.slow
@pytest.mark.parametrize("column", ["reply", "output"])
def test_right_and_wrong_replies(dataset, tmp_path, column):
    for pick, verdict in ((0, "right"), (1, "wrong")):
        path = replies(tmp_path / "r.jsonl", pick, column)
        summary = call(path, dataset)
        assert summary["overall"]["shares"][verdict]["yes"] == summary["outputs"] == len(QUESTIONS)
        assert (summary["rows"], summary["rows_without_output"]) == (len(QUESTIONS), 0)
        grades = shards.read(tmp_path / "r.grades.parquet", SCHEMA).to_pylist()
        assert {row["verdict"] for row in grades} == {verdict}
        assert all(row["detail"] for row in grades) == (verdict == "wrong")
        assert not list(tmp_path.glob("*.unfinished"))


@pytest.mark.slow
def test_counts_add_up_by_kind_format_domain_and_verdict(dataset, tmp_path):
    lines = [
        {"id": f"x/{name}", "sample": sample, "reply": reply}
        for name, (_, *texts) in QUESTIONS.items()
        for sample, reply in enumerate([*texts, "well"])
    ]
    summary = call(write_lines(tmp_path / "r.jsonl", lines), dataset)
    assert summary["outputs"] == 3 * len(QUESTIONS)
    assert summary["rows_with_output"] == len(QUESTIONS)
    kinds = Counter(table.split("_")[1] for table, *_ in QUESTIONS.values())
    for group in summary["by"].values():
        assert sum(right(figures) for figures in group.values()) == len(QUESTIONS)
        for figures in group.values():
            shares = figures["shares"]
            assert shares["right"] == shares["wrong"] == shares["unparsed"]
            assert shares["right"]["share"] == pytest.approx(1 / 3, abs=1e-6)
            assert shares["right"]["low"] < shares["right"]["share"] < shares["right"]["high"]
    assert {kind: right(figures) for kind, figures in summary["by"]["kind"].items()} == kinds
    by_both = summary["by"]["kind and format"]
    assert right(summary["by"]["format"]["mcq"]) == 2
    assert right(by_both["app mcq"]) == 1
    assert summary["some_output_right"]["yes"] == len(QUESTIONS)
    assert sum(summary["unparsed"].values()) == len(QUESTIONS)
    jaccard = by_both["app gen"]["means"]["jaccard"]
    assert jaccard["value"] == pytest.approx(
        (1 + 1 / 3 + 0 + 1 + 0 + 0) / 6, abs=1e-6
    )  # the third of each is unparsed
    assert by_both["prog gen"]["means"]["pos"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert by_both["val gen"]["means"]["pos"]["value"] is None


@pytest.mark.slow
def test_splits(dataset, tmp_path):
    path = replies(tmp_path / "r.jsonl")
    assert call(path, dataset, "--split", "all")["rows"] == len(QUESTIONS) + 1
    assert "is a row of split 'test', not 'train'" in call(path, dataset, "--split", "train", code=2)


def test_a_group_without_a_grader_is_named(tmp_path):
    rows = [{"id": f"x/{name}", "group": "poetry_gen", "answer": ""} for name in QUESTIONS]
    write_table(tmp_path, "acp_x_gen", rows)
    message = call(replies(tmp_path / "r.jsonl"), tmp_path, code=3)
    assert "group 'poetry_gen' is not graded" in message
    assert message.count("error:") == 1


@pytest.mark.slow
def test_a_folder_of_imports_may_hold_scores_beside(tmp_path):
    pq.write_table(pa.Table.from_pylist([question("val")]), tmp_path / "acp_val_gen.parquet")
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "x/val", "reply": "2"}')
    for _ in range(2):
        assert right(call(path, tmp_path)["overall"]) == 1
        assert (tmp_path / "r.grades.parquet").is_file()


def test_a_table_of_another_family_is_graded_by_its_group(tmp_path):
    """Its name is no question's, and rows without a group are none of them."""
    rows = [question("app"), {**question("app"), "id": "x/two", "colour": "blue"}]
    write_table(tmp_path, "moves", rows)
    write_table(tmp_path, "problems", [{"id": "x/app", "answer": "no question"}])
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"id": "x/app", "reply": QUESTIONS["app"][1]}))
    summary = call(path, tmp_path)
    assert (summary["rows"], right(summary["overall"])) == (2, 1)
