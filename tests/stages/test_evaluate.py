"""What a run asks is fixed by its arguments, said before it asks, and goes on after any end."""

from __future__ import annotations

import json
import os
import signal

import pytest

from orrery.demo_model import ScriptedReplies, serving
from orrery.evaluation.asker import Asker
from orrery.evaluation.results.runs import run_folder
from orrery.library.choice import RowSelection
from orrery.model import UsageError
from orrery.stages.evaluate import CHARACTERS_A_TOKEN, model_arguments, plan, run, tokens_of
from orrery.store import files
from tests.evaluation.samples import modelled, modelled_dataset
from tests.every_domain import ROOT
from tests.library.samples import IN_ONE_PROCESS, dataset, fresh

pytestmark = IN_ONE_PROCESS

NAMES = ("acp_val_bool", "plan_generation", "text_to_pddl")
ASKER = Asker("openai-api/demo/demo", "http://127.0.0.1:1/v1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(dataset(tmp_path_factory.mktemp("dataset"), *NAMES))


def planned(folder, tables="all", turns=0, asker=ASKER, told=None, **choice):
    tell = (told if told is not None else []).append
    return plan(RowSelection(folder, **choice), tables, turns, model_arguments(asker), ROOT, tell)


def test_a_plan_says_which_rows_and_how_many_tokens(folder):
    found = planned(folder)
    assert found.rows == dict.fromkeys(sorted(NAMES), 3)
    characters = sum(len(each["content"]) for name in NAMES for item in fresh(name) for each in item.prompt)
    assert found.tokens == pytest.approx(characters / CHARACTERS_A_TOKEN, abs=len(NAMES))
    assert found.tokens == sum(map(tokens_of, found.tables))


@pytest.mark.parametrize("url", ["http://user:secret@127.0.0.1:1/v1", "http://127.0.0.1:1/v1?key=secret"])
def test_an_address_with_a_secret_is_refused_without_showing_it(url):
    with pytest.raises(UsageError, match="contains more than an address") as refused:
        Asker(ASKER.model, url)
    assert "secret" not in str(refused.value)


@pytest.mark.slow
def test_the_arguments_of_a_run_hold_what_decides_on_its_replies(folder):
    found = planned(folder)
    for other in (
        planned(folder, "text_to_pddl"),
        planned(folder, turns=1),
        planned(folder, limit=2),
        planned(folder, style="two_shot"),
        planned(folder, asker=Asker(ASKER.model, ASKER.base_url, temperature=0.5)),
        planned(folder, asker=Asker("openai-api/demo/other", ASKER.base_url)),
        planned(folder, "acp_val_bool", seed=5, limit=3),
    ):
        assert other.name != found.name
    same = Asker(ASKER.model, ASKER.base_url, max_connections=3, max_retries=0, timeout=5)
    assert planned(folder, asker=same).name == found.name == planned(folder).name
    assert found.name.startswith("openai-api-demo-demo-")


def test_tables_without_the_style_are_named_together(folder):
    with pytest.raises(UsageError, match=r"table 'text_to_pddl': has no style 'zero_shot_pddl'"):
        planned(folder, representation="pddl")
    with pytest.raises(
        UsageError, match=r"style 'published': does not exist for: acp_val_bool, text_to_pddl"
    ):
        planned(folder, style="published")


def test_tables_without_rows_of_a_domain_are_left_out_and_told_of(folder):
    told_of = {item.row["domain"] for item in fresh("text_to_pddl")}
    domain = next(
        item.row["domain"] for item in fresh("plan_generation") if item.row["domain"] not in told_of
    )
    told = []
    found = planned(folder, domain=domain, told=told)
    assert "plan_generation" in found.rows
    assert "text_to_pddl" not in found.rows
    assert told
    assert all(line.startswith("left out: table '") for line in told)
    with pytest.raises(UsageError, match="no rows of domain 'mars'"):
        planned(folder, domain="mars")
    with pytest.raises(UsageError, match="no rows of domain"):
        planned(folder, "text_to_pddl", domain=domain)


@pytest.mark.slow
def test_a_run_of_other_arguments_is_refused_under_the_same_name(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", "any")
    with serving(ScriptedReplies(fresh("acp_val_bool"))) as server:
        asker = Asker(ASKER.model, server.url, max_retries=0)
        first = planned(folder, "acp_val_bool", asker=asker)
        run(first, asker, tmp_path / "run", [].append)
        before = (tmp_path / "run" / "scores.parquet").read_bytes()
        for other, said in (
            (planned(folder, "acp_val_bool", turns=2, asker=asker), "started with turns 0, not 2"),
            (planned(folder, "all", asker=asker), "started with tables acp_val_bool, not acp_val_bool, plan"),
            (planned(folder, "acp_val_bool", asker=asker, limit=2), "started with limit None, not 2"),
        ):
            with pytest.raises(UsageError, match=f"run 'run': was {said}.*another name with --run"):
                run(other, asker, tmp_path / "run", [].append)
        assert len(server.asked) == 3
        assert (tmp_path / "run" / "scores.parquet").read_bytes() == before
        result = run(first, Asker(ASKER.model, server.url, max_connections=2), tmp_path / "run", [].append)
        assert result.complete


def test_a_folder_that_holds_something_else_is_refused_and_left_as_it_is(folder, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"contains other files: mine.txt \(give another name with --run"):
        run(planned(folder, "acp_val_bool"), ASKER, tmp_path / "run", [].append)
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["mine.txt"]


@pytest.mark.slow
def test_a_run_goes_on_where_its_scores_are_gone(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", "any")
    with serving(ScriptedReplies(fresh("acp_val_bool"))) as server:
        asker = Asker(ASKER.model, server.url, max_retries=0)
        first = planned(folder, "acp_val_bool", asker=asker)
        run(first, asker, tmp_path / "run", [].append)
        asked = len(server.asked)
        (tmp_path / "run" / "scores.parquet").unlink()
        (tmp_path / "run" / f"{files.TEMPORARY}scores.parquet-0").touch()
        assert run(first, asker, tmp_path / "run", [].append).complete
        assert len(server.asked) == asked == 3


def test_tables_without_a_row_for_the_style_are_left_out_and_told_of(tmp_path):
    table, told = "domain_modeling", []
    folder = modelled_dataset(tmp_path, "ferry", description_abstract="")
    modelled_dataset(tmp_path, "ferry", table="action_modeling")
    found = planned(folder, told=told)
    assert found.rows == {"action_modeling": 1}
    assert told == [
        f"left out: 1 rows of table '{table}' for style 'abstract': description_abstract is empty",
        f"left out: table '{table}': has no rows for this style (name another style)",
    ]
    with pytest.raises(UsageError, match=f"table '{table}': has no rows for this style"):
        planned(folder, table)
    assert planned(folder, table, style="concrete").rows == {table: 1}


@pytest.mark.slow
def test_a_run_with_k_corrections_has_the_reply_of_every_turn(tmp_path, monkeypatch):
    """Text2World's EC_0 to EC_k are read off one run: EC_j counts the reply of turn j, or the last one."""
    monkeypatch.setenv("DEMO_API_KEY", "any")
    folder = modelled_dataset(tmp_path / "dataset", "ferry", "swap")
    gold = {name: modelled("domain_modeling", name).gold for name in ("ferry", "swap")}
    script = {
        "ferry": ["Let me see.", gold["ferry"][:-40], gold["ferry"].replace(":typing", ""), gold["ferry"]],
        "swap": ["(define (domain swap", gold["swap"]],
    }

    class Corrected:
        def reply(self, messages):
            name = "ferry" if "# Ferry" in messages[1]["content"] else "swap"
            return script[name][sum(message["role"] == "assistant" for message in messages)]

    for k in (0, 1, 3):
        with serving(Corrected()) as server:
            asker = Asker(ASKER.model, server.url, max_retries=0)
            request = planned(folder, turns=k, asker=asker, style="abstract_reasoned")
            result = run(request, asker, tmp_path / f"run-{k}", [].append)
        assert result.complete
        replies = [
            json.loads(line) for line in (tmp_path / f"run-{k}" / "replies.jsonl").read_text().splitlines()
        ]
        for name, texts in script.items():
            by_turn = {reply["turn"]: reply["text"] for reply in replies if reply["id"] == f"{name}/test"}
            assert by_turn == dict(enumerate(texts[: k + 1]))
    scores = [(row["domain"], row["turn"], row["is_last"]) for row in result.run.scores.to_pylist()]
    last = {"ferry": 3, "swap": 1}
    assert sorted(scores) == [
        (name, turn, turn == last[name]) for name in last for turn in range(last[name] + 1)
    ]
    # A domain that only lacks a requirement is right, but is not executable, so it is corrected.
    values = {(row["domain"], row["turn"]): row["value"] for row in result.run.scores.to_pylist()}
    assert [values["ferry", turn] for turn in range(4)] == [0, 0, 1, 1]
    assert [values["swap", turn] for turn in range(2)] == [0, 1]


@pytest.mark.parametrize("name", ["", "..", "../elsewhere", ".hidden", "a b", "x" * 200])
def test_names_that_are_no_folder_are_refused(tmp_path, name):
    with pytest.raises(UsageError, match="is not a valid name"):
        run_folder(tmp_path, name)


@pytest.fixture
def heeding_ctrl_c():
    """What a shell runs in the background ignores Ctrl-C, and so would the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("heeding_ctrl_c")
def test_ctrl_c_keeps_what_was_got(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", "any")

    class StoppedReplies(ScriptedReplies):
        def reply(self, messages):
            if len(server.asked) == 3:
                os.kill(os.getpid(), signal.SIGINT)
            return super().reply(messages)

    items = [item for name in NAMES for item in fresh(name)]
    with serving(StoppedReplies(items), delay=0.05) as server:  # so that it is heard before all is asked
        asker = Asker(ASKER.model, server.url, max_retries=0, max_connections=1)
        everything = planned(folder, asker=asker)
        result = run(everything, asker, tmp_path / "run", [].append)
        assert not result.complete
        assert result.stopped == "stopped; repeat the command to continue"
        got = result.run.scores.num_rows
        assert 1 <= got <= 3
        result = run(everything, asker, tmp_path / "run", [].append)
        assert result.complete
        assert len(server.asked) <= 9 + 3
