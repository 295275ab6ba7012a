"""Servers that are slow, refuse, break off or die: no reply is lost, asked for twice, or counted as wrong."""

from __future__ import annotations

import pytest

from orrery.demo_model import Fault, Faults, ScriptedReplies, serving
from orrery.evaluation.asked import AskedTable
from orrery.evaluation.asker import Asker
from orrery.model import UsageError
from orrery.stages.evaluate import EvaluationRequest, model_arguments, run
from tests.library.samples import fresh
from tests.local_server import LocalHandler, local_server

pytestmark = pytest.mark.slow

TABLE = "acp_val_bool"
ROWS = 24
KEY = "a-key-that-is-secret"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", KEY)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def replies(right=1.0):
    return ScriptedReplies(fresh(TABLE, ROWS), right)


def ask(url, folder, *, model="demo", turns=0, rows=ROWS, **options):
    """Ask all rows; what was told comes with the result."""
    options = {"max_retries": 0, "max_connections": 8, **options}
    asker = Asker(f"openai-api/demo/{model}", url, **options)
    tables = (AskedTable(TABLE, fresh(TABLE, ROWS)[:rows], "fresh", turns),)
    events = []
    result = run(
        EvaluationRequest(tables, {**model_arguments(asker), "data": "5", "turns": turns}),
        asker,
        folder,
        events.append,
    )
    return result, events


def verdicts(result):
    return result.run.scores["verdict"].to_pylist()


def test_a_good_server_is_asked_once_for_each_row(folder):
    with serving(replies()) as server:
        result, events = ask(server.url, folder)
        assert result.complete
        assert verdicts(result) == ["right"] * ROWS
        assert len(server.asked) == ROWS
        assert events[0].startswith(f"{ROWS} rows of 1 table: about ")
        assert events[1].startswith("used: ")
        again, events = ask(server.url, folder)
        assert len(server.asked) == ROWS, "a run that is complete asks nobody"
        assert events[0].startswith(f"{ROWS} rows of 1 table, {ROWS} of them answered already; 0 to ask")
        assert again.run.scores.equals(result.run.scores)


def test_refusals_and_broken_answers_are_sent_again_and_no_reply_is_wrong_for_them(folder):
    shares = {Fault.TOO_MANY: 0.15, Fault.SERVER: 0.1, Fault.BUSY: 0.05, Fault.CUT: 0.1}
    with serving(replies(), Faults(shares, seed=3)) as server:
        result, _ = ask(server.url, folder)
        assert set(verdicts(result)) <= {"right", "failed"}
        while not result.complete:  # it asks again for what failed, and for nothing else
            before, lacking = len(server.asked), verdicts(result).count("failed")
            result, events = ask(server.url, folder)
            assert f"{lacking} to ask" in events[0]
            assert len(server.asked) - before <= 3 * lacking, "the client sends a request three times at most"
        assert verdicts(result) == ["right"] * ROWS
        assert server.counts["answered"] == ROWS, "an answer that came was not asked for again"
        assert server.counts.total() > ROWS


def test_odd_replies_are_replies(folder):
    odd = (Fault.EMPTY, Fault.NULL, Fault.LONG, Fault.HALF)
    with serving(replies(), Faults(dict.fromkeys(odd, 0.25))) as server:
        result, _ = ask(server.url, folder)
        assert result.complete
        assert set(server.counts) == set(map(str, odd))
        assert server.counts.total() == ROWS
        assert set(verdicts(result)) <= {"right", "wrong", "unparsed"}
        sizes = [len(row["reply"]) for row in result.run.scores.to_pylist()]
        assert sizes.count(0) == server.counts["empty"] + server.counts["null"]
        assert sum(size > 900_000 for size in sizes) == server.counts["long"]
        ask(server.url, folder)
        assert len(server.asked) == ROWS, "none of them is asked for again"


def test_what_is_no_json_fails_and_is_asked_again(folder):
    with serving(replies(), Faults({Fault.JSON: 1.0})) as server:
        result, _ = ask(server.url, folder, rows=6)
        assert verdicts(result) == ["failed"] * 6
        assert not result.complete
        errors = {*result.run.scores["failure"].to_pylist()}
        assert all(errors)
        server.faults = Faults()
        result, _ = ask(server.url, folder, rows=6)
        assert verdicts(result) == ["right"] * 6


def test_a_server_that_dies_is_not_asked_for_ever(folder):
    with serving(replies(), Faults(after=5)) as server:
        result, events = ask(server.url, folder, max_connections=ROWS)
    assert not result.complete
    got = verdicts(result).count("right")
    assert 1 <= got <= 5
    assert set(verdicts(result)) == {"right", "failed"}
    if result.stopped:
        assert "20 rows in a row got no reply" in result.stopped
    with serving(replies(), port=server.server_port) as again:
        result, events = ask(again.url, folder)
        assert result.complete
        assert len(again.asked) == ROWS - got
        assert f"{got} of them answered already" in events[0]


def test_a_server_that_is_too_slow_fails(folder):
    with serving(replies(), delay=3) as server:
        result, _ = ask(server.url, folder, timeout=1, rows=3)
    assert verdicts(result) == ["failed"] * 3
    assert all("AttemptTimeoutError" in row["failure"] for row in result.run.scores.to_pylist())


class Echo(LocalHandler):
    """Refuses every request with a status, and repeats the key that it brought."""

    status = 401

    def do_POST(self):
        self.read()
        self.server.asked += 1
        message = f"Incorrect API key provided: {self.headers['Authorization']}"
        self.say(self.status, {"error": {"message": message, "code": "invalid_api_key"}})

    def say(self, status, content):
        self.answer(status, content, Content_Type="application/json")


@pytest.fixture
def echo():
    with local_server(Echo, asked=0) as server:
        yield server


def test_a_wrong_key_stops_the_run_and_is_shown_nowhere(folder, echo, capfd):
    with pytest.raises(
        UsageError, match=r"the server refuses it: 401: .*\*\*\*.*set the right key"
    ) as refused:
        ask(f"{echo.url}/v1", folder, max_connections=4)
    assert echo.asked <= 4, "what is under way, and nothing after it"
    assert KEY not in str(refused.value)
    assert KEY not in "".join(capfd.readouterr())
    files = [path for path in folder.parent.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".json", ".parquet", ".jsonl", ".eval"}
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_other_errors_that_repeat_the_key_are_kept_without_it(folder, echo, monkeypatch):
    monkeypatch.setattr(Echo, "status", 400)
    result, _ = ask(f"{echo.url}/v1", folder, rows=3)
    errors = {*result.run.scores["failure"].to_pylist()}
    assert all(error.startswith("400: ") and "***" in error for error in errors)
    assert [p for p in folder.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()] == []


def test_an_unknown_model_stops_the_run(folder):
    with serving(replies()) as server:
        with pytest.raises(UsageError, match=r"404: .*'other' does not exist; there is 'demo'"):
            ask(server.url, folder, model="other")
        assert server.asked == []


def test_a_provider_that_is_not_there_and_a_key_that_is_not_set_are_refused_before_anything_is_written(
    folder, monkeypatch
):
    monkeypatch.delenv("DEMO_API_KEY")
    with pytest.raises(UsageError, match="No DEMO_API_KEY defined in the environment"):
        ask("http://127.0.0.1:1/v1", folder)
    assert not folder.exists()


def test_corrections_go_on_where_they_were_stopped(folder):
    with serving(replies(right=0.3)) as server:
        result, _ = ask(server.url, folder, turns=3)
        assert result.complete
        requests, lines = len(server.asked), (folder / "replies.jsonl").read_bytes().splitlines(keepends=True)
        assert requests == len(lines) > 1.5 * ROWS
        (folder / "replies.jsonl").write_bytes(b"".join(lines[: requests // 2]) + lines[-1][:20])
        again, _ = ask(server.url, folder, turns=3)
        assert len(server.asked) - requests == requests - requests // 2
    assert again.run.scores.drop(["seconds"]).equals(result.run.scores.drop(["seconds"]))
    assert max(again.run.scores["turn"].to_pylist()) > 1
    assert again.run.scores.num_rows == requests


CALL = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
ANSWERS = {  # what a server may say, by what becomes of it
    "a refusal": ({"message": {"role": "assistant", "content": None, "refusal": "I will not."}}, "unparsed"),
    "a tool is called": (
        {"message": {"role": "assistant", "content": None, "tool_calls": [CALL]}},
        "unparsed",
    ),
    "half a character": ({"message": {"role": "assistant", "content": "\ud800 or so"}}, "unparsed"),
    "no message": ({}, "failed"),
    "no choice": (None, "failed"),
}


class Odd(Echo):
    """Answers as the protocol has it, or nearly: one after the other of ``ANSWERS``."""

    def do_POST(self):
        self.read()
        choice, _ = list(ANSWERS.values())[self.server.asked % len(ANSWERS)]
        self.server.asked += 1
        choices = [] if choice is None else [{"index": 0, "finish_reason": "stop", **choice}]
        about = {"id": "x", "object": "chat.completion", "created": 0, "model": "demo"}
        self.say(200, {**about, "choices": choices})


def test_answers_that_are_hardly_any_are_replies_or_failures_and_end(folder, echo):
    echo.RequestHandlerClass = Odd
    url, count = f"{echo.url}/v1", len(ANSWERS)
    result, _ = ask(url, folder, rows=count, max_connections=1)
    assert echo.asked == count, "Inspect would ask a model that calls tools without end"
    assert sorted(verdicts(result)) == sorted(verdict for _, verdict in ANSWERS.values())
    errors = {*result.run.scores["failure"].to_pylist()} - {""}
    assert all(error.startswith("the server's answer is not as its protocol has it") for error in errors)
    result, events = ask(url, folder, rows=count, max_connections=1)
    assert "3 of them answered already; 2 to ask" in events[0]
