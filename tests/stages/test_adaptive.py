"""An adaptive run states the ability, goes on with the same rows, and is kept out of comparisons."""

from __future__ import annotations

import json

import pytest

from orrery.demo_model import Fault, Faults, ScriptedReplies, serving
from orrery.evaluation.asker import Asker
from orrery.evaluation.results.comparison import compare
from orrery.evaluation.results.layouts import report
from orrery.evaluation.results.page import run_lines, write_pages
from orrery.evaluation.results.tallies import summary, text
from orrery.library.choice import RowSelection
from orrery.model import OrreryError, UsageError
from orrery.stages.evaluate import model_arguments, plan, run
from orrery.stages.score_run import score_again
from tests.every_domain import ROOT
from tests.library.samples import fresh

TABLE, ROWS = "acp_prog_gen", 40

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def keyed(monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", "any")


def evaluated(server, folder, *, adaptive=True, max_rows=30, told=None):
    asker = Asker("openai-api/demo/demo", server.url, max_retries=0)
    limits = {"standard_error": 0.7, "max_rows": max_rows}
    arguments = model_arguments(asker) | (limits if adaptive else {})
    tell = ([] if told is None else told).append
    request = plan(RowSelection(seed=5, limit=ROWS), TABLE, 0, arguments, ROOT, tell)
    return run(request, asker, folder, tell)


def serving_share(share, faults=None):
    return serving(ScriptedReplies(fresh(TABLE, ROWS), share), faults or Faults())


def replies_of(folder):
    return (folder / "replies.jsonl").read_bytes().splitlines(keepends=True)


def test_models_are_ordered_and_the_run_states_what_it_is_based_on(tmp_path):
    abilities = []
    for share in (0.1, 0.5, 0.95):
        told = []
        with serving_share(share) as server:
            result = evaluated(server, tmp_path / f"run{share}", told=told)
        about = json.loads((tmp_path / f"run{share}" / "run.json").read_text())
        ability = about["ability"]
        assert result.complete
        assert ability["replies"] == sum(about["rows"].values()) == len(server.asked) < ROWS
        assert ability["standard_error"] <= 0.7 or ability["replies"] == 30
        assert ability["difficulties"]["runs"] == []
        assert any("predicted from the structure" in line for line in told)
        assert f"ability: {ability['value']:.2f}" in text(summary(result.run), ROOT / "templates")
        assert summary(result.run)["ability"] == result.run.about["ability"]
        abilities.append(ability["value"])
    assert abilities == sorted(abilities)
    assert len({*abilities}) == 3


def test_an_interrupted_run_goes_on_with_the_same_rows_and_sends_none_twice(tmp_path):
    with serving_share(0.6) as server:
        whole = evaluated(server, tmp_path / "whole")
        sent = len(server.asked)
        evaluated(server, tmp_path / "whole")
        assert len(server.asked) == sent, "a complete run sends nothing"
        part = tmp_path / "part"
        part.mkdir()
        (part / "difficulties.json").write_bytes((tmp_path / "whole" / "difficulties.json").read_bytes())
        (part / "replies.jsonl").write_bytes(b"".join(replies_of(tmp_path / "whole")[:7]))
        evaluated(
            server, tmp_path / "all rows", adaptive=False
        )  # the difficulties are those of the beginning
        before = len(server.asked)
        resumed = evaluated(server, part)
        assert len(server.asked) == before + sent - 7
    assert resumed.run.about["ability"] == whole.run.about["ability"]
    assert resumed.run.scores["id"].to_pylist() == whole.run.scores["id"].to_pylist()


def test_difficulties_are_estimated_from_the_replies_of_earlier_runs(tmp_path):
    with serving_share(0.6) as server:
        evaluated(server, tmp_path / "all", adaptive=False)
        result = evaluated(server, tmp_path / "adaptive")
    basis = result.run.about["ability"]["difficulties"]
    assert (basis["runs"], basis["replies"]) == (["all"], ROWS)


def test_adaptive_runs_are_kept_out_of_comparisons(tmp_path):
    with serving_share(0.6) as server:
        adaptive = evaluated(server, tmp_path / "adaptive").run
        whole = evaluated(server, tmp_path / "whole", adaptive=False).run
    for pair in ((adaptive, whole), (whole, adaptive)):
        with pytest.raises(UsageError, match="run 'adaptive': is adaptive"):
            compare(*pair)
    tables = report(ROOT / "templates", "acpbench-hard", [adaptive, whole])
    assert "left out: adaptive is adaptive" in tables.remarks
    assert tables.tables == report(ROOT / "templates", "acpbench-hard", [whole]).tables
    with pytest.raises(UsageError, match="no run that is not adaptive has decided"):
        report(ROOT / "templates", "acpbench-hard", [adaptive])
    assert [line.accuracy is None for line in run_lines(tmp_path)] == [True, False]
    assert "adaptive: accuracy cannot be compared" in write_pages(tmp_path, ROOT).read_text()


def test_it_is_scored_again_with_the_same_ability(tmp_path):
    with serving_share(0.6) as server:
        first = evaluated(server, tmp_path / "run").run
    again = score_again(tmp_path / "run", "unused", ROOT, [].append)
    assert again.about == first.about
    assert again.scores.equals(first.scores)
    (tmp_path / "run" / "difficulties.json").write_text("{}")
    with pytest.raises(OrreryError, match="has no difficulties of rows"):
        score_again(tmp_path / "run", "unused", ROOT, [].append)


def test_rows_without_a_reply_are_skipped_and_a_silent_server_ends_the_run(tmp_path):
    with serving_share(0.6, Faults({Fault.JSON: 0.2})) as server:
        result = evaluated(server, tmp_path / "some")
    verdicts = result.run.scores["verdict"].to_pylist()
    assert result.complete
    assert "failed" in verdicts
    assert result.run.about["ability"]["replies"] == len(verdicts) - verdicts.count("failed")
    with serving_share(0.6, Faults({Fault.JSON: 1.0})) as server:
        result = evaluated(server, tmp_path / "none")
        assert len(server.asked) < 10
    assert not result.complete
    assert "no row of a batch of 5 got a reply" in result.stopped


def test_a_resumed_run_asks_rows_without_a_reply_again_and_no_others_for_them(tmp_path):
    with serving_share(0.6, Faults({Fault.JSON: 0.4})) as server:
        first = evaluated(server, tmp_path / "run", max_rows=10).run
        assert "failed" in first.scores["verdict"].to_pylist()
        for _ in range(8):
            last = evaluated(server, tmp_path / "run", max_rows=10)
    assert last.complete
    assert "failed" not in last.run.scores["verdict"].to_pylist()
    assert len(first.scores) == 10
    assert last.run.scores["id"] == first.scores["id"]


def test_a_run_is_resumed_only_with_its_own_rows(tmp_path):
    difficulties, asked = tmp_path / "run" / "difficulties.json", tmp_path / "run" / "asked_rows.json"
    with serving_share(0.6, Faults({Fault.JSON: 1.0})) as server:
        evaluated(server, tmp_path / "run")
        before = len(server.asked)
        stored = json.loads(difficulties.read_text())
        asked.write_text(f'[["{TABLE}", "another row"]]')
        with pytest.raises(OrreryError, match=r"asked_rows\.json: is not a list of rows of the run"):
            evaluated(server, tmp_path / "run")
        difficulties.write_text(json.dumps({**stored, "rows": stored["rows"][1:]}))
        with pytest.raises(OrreryError, match="has difficulties of other rows"):
            evaluated(server, tmp_path / "run")
        difficulties.write_text(json.dumps({**stored, "rows": [[TABLE, "0", "hard", "", ""]]}))
        with pytest.raises(OrreryError, match="has no difficulties of rows"):
            evaluated(server, tmp_path / "run")
        difficulties.unlink()
        with pytest.raises(OrreryError, match="has no difficulties of rows"):
            evaluated(server, tmp_path / "run")
        assert len(server.asked) == before
