"""All questions in one form: the view says what the tables say, and what it says is checked."""

import json
import re
import shutil

import pytest
from typer.testing import CliRunner

from orrery.checks import folder
from orrery.cli.main import app
from orrery.dataset.question_view import QUESTIONS_VIEW
from orrery.dataset.views import query
from orrery.families import families
from orrery.grading import grade
from orrery.store.shards import VIEWS, read_rows, shards, splits, write
from tests.effort import slow

TABLES = [table.name for table in families()["questions"].tables]


@pytest.fixture(scope="module")
def dataset(some_domains):
    return some_domains / "outputs" / "dataset"


def rows_of(dataset):
    return [
        row for path in shards(dataset, "questions", folder=VIEWS) for row in read_rows(path, QUESTIONS_VIEW)
    ]


def test_the_view_has_every_row_of_every_table_of_questions_once(dataset):
    rows = rows_of(dataset)
    own = {
        row["id"]
        for name in TABLES
        for path in shards(dataset, name)
        for row in read_rows(path, columns=["id"])
    }
    assert len(rows) == len({row["id"] for row in rows})
    assert {row["id"] for row in rows} == own
    assert "questions" not in splits(dataset)
    manifest = json.loads((dataset / "manifest.json").read_text())
    assert sum(manifest["views"]["questions"].values()) == len(rows)
    assert "questions" not in manifest["rows"]


def test_the_first_rows_show_every_table(dataset):
    for path in shards(dataset, "questions", "test", VIEWS):
        shown = [row["table"] for row in read_rows(path)]
        assert set(shown[: len(set(shown))]) == set(shown)


def test_answers_are_json_and_replies_are_right(dataset):
    for row in rows_of(dataset):
        graded = json.loads(row["grader_input"])
        assert json.loads(row["answer"]) == graded["answer"]
        assert grade(row["reply"], graded).value == 1
        assert bool(row["choices"]) == (row["format"] == "mcq")


def test_a_reply_is_graded_by_the_view_as_by_the_table(dataset):
    rows = {row["id"]: row for row in rows_of(dataset)}
    replies = ["ANSWER: None", "ANSWER: A", "ANSWER: no", "ANSWER: 3", "", "ANSWER: (pickup b1)"]
    for name in TABLES:
        for path in shards(dataset, name, "test"):
            for typed in read_rows(path):
                graded = json.loads(rows[typed["id"]]["grader_input"])
                for reply in (*replies, rows[typed["id"]]["reply"]):
                    assert grade(reply, graded) == grade(reply, typed), (typed["id"], reply)


def test_sql_knows_the_view(dataset):
    found = query(dataset, 'select count(*) n, count(distinct "table") t from questions').to_pylist()[0]
    assert found["n"] == len(rows_of(dataset))
    assert query(dataset, "select distinct split from questions_test").to_pylist() == [{"split": "test"}]


CHANGES = {
    "h_star": lambda row: (row["h_star"] or 0) + 1,
    "domain": lambda row: "elsewhere",
    "question": lambda row: "Why?",
    "answer": lambda row: '"nothing"',
    "reply": lambda row: "ANSWER: nothing at all",
    "choices": lambda row: ["a"],
    "format": lambda row: "bool" if row["format"] != "bool" else "gen",
    "table": lambda row: "acp_app_none",
    "grader_input": lambda row: json.dumps({**json.loads(row["grader_input"]), "answer": []}),
}


@slow
@pytest.mark.parametrize("column", CHANGES)
def test_a_value_that_differs_is_found(dataset, tmp_path, column):
    copy = shutil.copytree(dataset, tmp_path / "dataset")
    path = shards(copy, "questions", "test", VIEWS)[0]
    rows = list(read_rows(path))
    rows[0] = {**rows[0], column: CHANGES[column](rows[0])}
    write(path, QUESTIONS_VIEW, rows)
    _, faults = folder.check_view(copy)
    assert any(rows[0]["id"] in fault for fault in faults)


@slow
def test_a_row_too_few_and_a_view_too_many_are_found(dataset, tmp_path):
    assert folder.check(dataset) == []
    copy = shutil.copytree(dataset, tmp_path / "dataset")
    path = shards(copy, "questions", "test", VIEWS)[0]
    write(path, QUESTIONS_VIEW, list(read_rows(path))[:-1])
    said = "\n".join(folder.check(copy))
    assert "rows of the view questions are" in said
    assert re.search("lacks rows of acp_", said)
    shutil.copytree(copy / "views" / "questions", copy / "views" / "more")
    assert "views/more: is not what manifest.json lists" in "\n".join(folder.check(copy))


def test_columns_of_the_view_are_told():
    said = CliRunner().invoke(app, ["columns", "questions"])
    assert said.exit_code == 0, said.output
    assert "grader_input" in said.output


@slow
def test_the_five_lines_of_the_card_run(dataset, monkeypatch, tmp_path, capsys):
    import datasets  # slow, and needed here only

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.syspath_prepend(dataset)
    blocks = re.findall(r"```python\n(.*?)```", (dataset / "README.md").read_text(), re.DOTALL)
    (lines,) = (block for block in blocks if "grader_input" in block)
    exec(lines.replace("path/to/this/folder", str(dataset)), {})
    assert capsys.readouterr().out.rstrip().endswith(" right")
