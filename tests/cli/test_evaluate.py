"""``orrery eval`` prints one table, ends with a code that says how it went, and asks nobody when told so."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.demo_model import Fault, Faults, ScriptedReplies, serving
from tests.library.samples import dataset, fresh

TABLE = "acp_val_bool"
ROWS = 8


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder that is no checkout: what the package brings must do."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEMO_API_KEY", "any")


def evaluate(*arguments, url="http://127.0.0.1:1/v1"):
    fixed = ["--model", "openai-api/demo/demo", "--base-url", url, "--fresh", "5", "--tables", TABLE]
    options = ["--limit", str(ROWS), "--max-retries", "0", "--run", "r"]
    return CliRunner().invoke(app, ["eval", *fixed, *options, *map(str, arguments)])


@pytest.mark.slow
def test_it_asks_prints_and_writes(tmp_path):
    with serving(ScriptedReplies(fresh(TABLE, ROWS))) as server:
        found = evaluate(url=server.url)
        assert found.exit_code == 0, found.output
        assert "100.0" in found.stdout
        assert found.stdout.startswith("run r: openai-api/demo/demo, 8 replies, finished")
        assert "eval: 8 rows of 1 table: about " in found.stderr
        assert "eval: used: " in found.stderr
        again = evaluate("--json", "--rule", "published", url=server.url)
        overall = json.loads(again.stdout)["overall"]
        assert (overall["right"], overall["published_rule"]) == (ROWS, 1.0)
        assert len(server.asked) == ROWS
    assert (tmp_path / "outputs" / "evals" / "r" / "scores.parquet").exists()
    assert json.loads((tmp_path / "outputs" / "evals" / "r" / "run.json").read_text())["finished"] is True


@pytest.mark.slow
def test_rows_without_a_reply_end_it_with_5(tmp_path):
    with serving(ScriptedReplies(fresh(TABLE, ROWS)), Faults({Fault.JSON: 1.0})) as server:
        found = evaluate("--out", tmp_path / "runs", url=server.url)
    assert found.exit_code == 5
    assert "failed: 8" in found.stdout
    assert "repeat the command to request them again" in found.stderr
    assert (tmp_path / "runs" / "r" / "scores.parquet").exists()


@pytest.mark.slow
def test_a_dry_run_says_what_would_be_asked_and_asks_nobody(tmp_path):
    found = evaluate("--dry-run")
    assert found.exit_code == 0, found.output
    assert found.stdout.split()[:3] == ["table", "rows", "tokens"]
    told = json.loads(evaluate("--dry-run", "--json").stdout)
    assert told["rows"] == {TABLE: ROWS}
    assert told["tokens"][TABLE] > ROWS
    assert not (tmp_path / "outputs").exists()
    adaptive = evaluate("--dry-run", "--json", "--adaptive", "--max-rows", "5")
    assert "adaptive: at most 5 of these rows" in adaptive.stderr
    chosen = json.loads(adaptive.stdout)["arguments"]
    assert (chosen["standard_error"], chosen["max_rows"]) == (0.3, 5)
    assert "standard_error" not in told["arguments"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tables", "nothing"], "table 'nothing': has no questions for a model"),
        (["--tables", "action_modeling"], "table 'action_modeling': has no rows to ask"),
        (["--dataset", "elsewhere"], "cannot be combined with --dataset"),
        (["--max-rows", "5"], "are options of adaptive runs (add --adaptive"),
        (["--style", "pretty"], "has no style 'pretty'"),
        (["--domain", "mars"], "domain 'mars': has no fresh items"),
        (["--model", "nobody/model"], "Model API nobody of model 'nobody/model' not recognized"),
        (["--tables", "plan_optimal", "--rule", "published"], "there is no published rule for plan_optimal"),
        (["--run", "x y"], "run 'x y': is not a valid name"),
        (["--run", "../elsewhere"], "run '../elsewhere': is not a valid name"),
        (["--run", ".."], "run '..': is not a valid name"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(arguments, said, tmp_path):
    found = evaluate(*arguments)
    assert found.exit_code == 2, found.output
    assert found.stderr.startswith("error: ")
    assert said in found.stderr
    assert found.stderr.count("\n") == 1
    assert not list(tmp_path.rglob("scores.parquet"))


@pytest.mark.parametrize(
    ("option", "number"),
    [
        *(("--standard-error", number) for number in ("0", "-1", "nan", "inf", "2")),
        *(("--temperature", number) for number in ("-1", "nan", "inf")),
    ],
)
def test_a_number_out_of_range_is_refused(option, number):
    found = evaluate("--dry-run", "--adaptive", option, number)
    assert found.exit_code == 2, found.output


def test_without_a_dataset_it_says_so(tmp_path):
    found = CliRunner().invoke(app, ["eval", "--model", "openai-api/demo/demo", "--tables", "all"])
    assert found.exit_code == 2
    assert "outputs/dataset: is not a folder" in found.stderr


def test_difficulties_are_printed_with_the_hardest_row_first(tmp_path):
    folder = dataset(tmp_path, "plan_generation", "acp_val_bool")
    command = ["difficulty", "--dataset", str(folder), "--limit", "2"]
    result = CliRunner().invoke(app, [*command, "--json"])
    assert result.exit_code == 0, result.output
    assert "predicted from the structure" in result.stderr
    rows = json.loads(result.stdout)
    assert sorted(row["table"] for row in rows) == ["acp_val_bool"] * 2 + ["plan_generation"] * 2
    values = [row["item_difficulty"] for row in rows]
    assert values == sorted(values, reverse=True)
    assert len({*values}) > 1
    assert all(row["standard_error"] > 0 for row in rows)
    plain = CliRunner().invoke(app, [*command, "--tables", "plan_generation"]).stdout.splitlines()
    assert plain[0].split() == ["table", "id", "item_difficulty", "standard_error"]
    assert len(plain) == 3
