"""``orrery paraphrase`` prints what was accepted and why the rest was not, and refuses what has no sense."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from typer.testing import CliRunner

import orrery
from orrery.cli.main import app
from orrery.demo_model import Fault, Faults, ScriptedReplies, serving
from orrery.demo_model.rewording import scripted
from tests.every_domain import ROOT

ROWS = 3


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder that is no checkout: what the package brings must do."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEMO_API_KEY", "any")


def replies(drop):
    stream = orrery.tasks("text_to_pddl", "blocksworld", seed=5, root=ROOT)
    return ScriptedReplies(scripted(islice(stream, ROWS), 1, drop))


def paraphrase(*arguments, url="http://127.0.0.1:1/v1"):
    fixed = ["--model", "openai-api/demo/demo", "--base-url", url, "--fresh", "5", "--domain", "blocksworld"]
    options = ["--limit", str(ROWS), "--max-retries", "0", "--run", "r"]
    return CliRunner().invoke(app, ["paraphrase", *fixed, *options, *map(str, arguments)])


@pytest.mark.slow
def test_it_asks_prints_and_writes(tmp_path):
    with serving(replies(0.0)) as server:
        found = paraphrase(url=server.url)
        assert found.exit_code == 0, found.output
        assert found.stdout.startswith(f"accepted: {ROWS} (")
        assert "rejected: 0" in found.stdout
        again = json.loads(paraphrase("--json", url=server.url).stdout)
    assert sum(again["accepted"].values()) == ROWS
    assert (again["rejected"], again["unanswered"], again["finished"]) == ({}, 0, True)
    assert (tmp_path / "outputs" / "paraphrases" / "r" / "paraphrases.parquet").exists()


@pytest.mark.slow
def test_rejects_are_counted_by_their_reasons():
    with serving(replies(1.0)) as server:
        found = paraphrase(url=server.url)
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith(f"accepted: 0\nrejected: {ROWS}\n  ")


@pytest.mark.slow
def test_what_got_no_reply_ends_it_with_5(tmp_path):
    with serving(replies(0.0), Faults({Fault.JSON: 1.0})) as server:
        found = paraphrase("--out", tmp_path / "runs", url=server.url)
    assert found.exit_code == 5
    assert f"without a reply: {ROWS}" in found.stdout
    assert "repeat the command to send them again" in found.stderr
    assert (tmp_path / "runs" / "r" / "rejects.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no source of paraphrases"),
        (["mine.jsonl", "--limit", "3"], "cannot be combined with a file"),
        (["mine.jsonl"], "no such file"),
    ],
)
def test_what_makes_no_sense_is_one_error(arguments, said):
    found = CliRunner().invoke(app, ["paraphrase", *arguments])
    assert found.exit_code == 2
    assert found.stderr.startswith("error: ")
    assert said in found.stderr
    assert len(found.stderr.splitlines()) == 1
