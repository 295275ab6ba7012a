"""Imported sets are datasets: every command reads them, and publishing refuses them."""

import json
import shlex

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from orrery.browse.app import browser
from orrery.cli.main import app
from orrery.dataset.contents import read_manifest, verify
from orrery.dataset.folder import publish_folder
from orrery.demo_model import ScriptedReplies, serving
from orrery.evaluation.asker import Asker
from orrery.library.choice import RowSelection
from orrery.library.loading import load
from orrery.model import OrreryError
from orrery.stages.evaluate import model_arguments, plan
from orrery.stages.evaluate import run as evaluate
from orrery.stages.import_planbench import run
from orrery.store.shards import splits
from tests.effort import slow
from tests.every_domain import ROOT
from tests.planbench_folder import LIT, STORED, row, told, write_folder

RUNNER = CliRunner()
ADDRESS = "http://127.0.0.1:8017"
FACTS = ["lit_c", "at_c"]
SHORT = told(plan=LIT[:-1])
UNMET = "The above plan is invalid. This is the unmet goal condition:\nthe green room is lit"
EXECUTE = told(plan=LIT).replace("PLAN", "ACTION SEQUENCE") + "[RESULTING STATE]"
TASKS = {
    "task_1_plan_generation": [row(told(), STORED), row(told(), "(light c)")],
    "task_2_plan_optimality": [row(told(), STORED)],
    "task_3_plan_verification": [
        row(f"{query.rstrip()}\n\n[VERIFICATION]", stored)
        for query, stored in ((told(plan=LIT), "The above plan is valid."), (SHORT, UNMET))
    ],
    "task_7_plan_execution": [row(EXECUTE, FACTS)],
    "task_8_3_partial_to_full": [row(told(plan=LIT) + told(), STORED)],
}
TABLES = ["plan_execution", "plan_generation", "plan_optimal", "plan_reformulation", "plan_verification"]


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """The dataset of a small folder in the layout of PlanBench."""
    folder = tmp_path_factory.mktemp("imported")
    summary, _ = run(write_folder(folder / "published", TASKS), folder / "out")
    assert summary.made["in tables for models"] == 7
    return folder / "out"


def command(*arguments):
    done = RUNNER.invoke(app, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_folder_is_a_dataset_with_unique_ids(imported):
    assert verify(imported)["imported_from"] == "planbench"
    assert read_manifest(imported)["rows"] == {
        table: {"test": count}
        for table, count in zip([*TABLES, "planbench"], (1, 2, 1, 1, 2, 7), strict=True)
    }
    items = [item for table in TABLES for item in load(imported, table)]
    assert len({item.row["id"] for item in items}) == len(items) == 7


def test_published_answers_are_columns_and_their_grades_are_right_where_they_are(imported):
    for table in TABLES:
        for item in load(imported, table):
            right = item.row["published_verdict"] == "right"
            assert item.row["published_grade"] == ("right" if right else "wrong")
            assert item.score(item.gold).verdict == "right"
    right, wrong = load(imported, "plan_generation")
    assert json.loads(right.row["published_answer"]) == STORED
    assert (right.row["published_verdict"], wrong.row["published_verdict"]) == ("right", "wrong")
    assert wrong.row["plan"] == right.row["plan"] == ["(go red blue)", "(go blue green)", "(light green)"]


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (STORED, 1),
        ("\n".join(LIT), 1),
        ("[PLAN]\ngo from the red room to the blue room\nlight the green room\n[PLAN END]", 0),
        ("(go a b)\n(go b c)\n(light c)", 0),
    ],
)
def test_replies_in_the_words_of_the_prompt_are_graded(imported, reply, value):
    (item, _) = load(imported, "plan_generation")
    assert item.score(reply).value == value


def test_a_prompt_has_the_whole_published_text(imported):
    (item,) = load(imported, "plan_reformulation")
    prompt = " ".join(item.prompt[1]["content"].split())
    assert prompt == " ".join(TASKS["task_8_3_partial_to_full"][0]["query"].split())


def test_styles_without_pddl_and_worked_examples_are_available(imported):
    for table in TABLES:
        for style in ("zero_shot", "reasoned"):
            assert all(item.prompt for item in load(imported, table, style=style))
        for style in ("zero_shot_pddl", "reasoned_both", "two_shot"):
            with pytest.raises(OrreryError):
                _ = [item.prompt for item in load(imported, table, style=style)]


@slow
def test_commands_read_it(imported, tmp_path):
    sql = "select published_verdict as v, count(*) as n from plan_generation group by 1 order by 1"
    assert json.loads(command("query", sql, "--dataset", imported, "--json")) == [
        {"v": "right", "n": 1}, {"v": "wrong", "n": 1},
    ]  # fmt: skip
    for table in TABLES:
        chosen = ("--table", table, "--split", "test", "--dataset", imported)
        lines = command("export", "sft", *chosen).splitlines()
        replies = [json.loads(line)["messages"][-1]["content"] for line in lines if line.startswith("{")]
        prompts = command("export", "prompts", *chosen).splitlines()
        ids = [json.loads(line)["id"] for line in prompts if line.startswith("{")]
        assert len(ids) == len(replies) == len(load(imported, table))
        path = tmp_path / f"{table}.jsonl"
        pairs = zip(ids, replies, strict=True)
        path.write_text("".join(json.dumps({"id": name, "output": reply}) + "\n" for name, reply in pairs))
        summary = json.loads(command("score", "plans", path, "--dataset", imported, "--json"))
        assert summary["overall"]["shares"]["right"]["share"] == 1.0
        assert summary["rows_with_output"] == len(ids)


def test_the_commands_of_the_page_run(tmp_path, monkeypatch):
    for name in ("params.yaml", "templates", "domains", "generators", "dvc.yaml"):
        (tmp_path / name).symlink_to(ROOT / name)
    write_folder(tmp_path / "plan-bench", TASKS)
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "import.md").read_text()
    commands = [line.removeprefix("$ orrery ") for line in page.splitlines() if line.startswith("$ orrery ")]
    assert len(commands) == 4
    outputs = [command(*shlex.split(line)) for line in commands]
    assert outputs[1].splitlines()[-1].split() == ["corridor", "wrong", "1"]
    assert "planbench/prompts/corridor/task_1_plan_generation.json/1" in outputs[3]
    assert len((tmp_path / "outputs" / "prompts.jsonl").read_text().splitlines()) == 2


@slow
def test_pages_show_it(imported, tmp_path):
    client = TestClient(browser(imported, tmp_path, ROOT), ADDRESS, follow_redirects=False)
    assert client.get("/").status_code == 200
    for table in TABLES:
        assert client.get(f"/rows/{table}").status_code == 200
        for item in load(imported, table):
            page = client.get(f"/row/{item.row['id']}")
            assert page.status_code == 200, page.text
            assert item.row["published_verdict"] in page.text


def test_publishing_refuses_it(imported, tmp_path):
    with pytest.raises(OrreryError, match="is the published set 'planbench', not for publication"):
        publish_folder(imported, tmp_path / "report", tmp_path / "published")
    assert not (tmp_path / "published").exists()


@slow
def test_a_model_is_asked_all_its_rows(imported, tmp_path, monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", "any")
    items = [item for table in TABLES for item in load(imported, table)]
    assert sorted(splits(imported)) == sorted([*TABLES, "planbench"])
    with serving(ScriptedReplies(items)) as server:
        asker = Asker("openai-api/demo/demo", server.url, max_retries=0)
        request = plan(RowSelection(str(imported)), "all", 0, model_arguments(asker), ROOT, [].append)
        assert request.rows == {table: len(load(imported, table)) for table in TABLES}
        result = evaluate(request, asker, tmp_path / "run", [].append)
    assert result.complete
