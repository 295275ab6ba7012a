"""The server speaks the protocol, as the client of those who made it sees it, and fails as it is told to."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from importlib import import_module
from itertools import count

import pytest

from orrery.demo_model import Fault, Faults, ScriptedReplies, serving
from orrery.demo_model import server as module
from orrery.demo_model.server import MODEL, DemoServer
from orrery.model import UsageError
from tests.effort import slow
from tests.library.samples import fresh


@pytest.fixture
def item():
    return fresh("acp_app_gen")[0]


@pytest.fixture(scope="session")
def openai():
    """The library, whose import takes seconds: here once, not wherever tests are collected."""
    return import_module("openai")


def client(server, key="any", **options):
    from openai import OpenAI

    return OpenAI(base_url=server.url, api_key=key, **{"max_retries": 0, "timeout": 10, **options})


def ask(server, item, **options):
    return client(server, **options).chat.completions.create(model=MODEL, messages=item.prompt)


def test_it_answers_and_counts(item):
    with serving(ScriptedReplies([item])) as server:
        answer = ask(server, item)
        assert answer.choices[0].message.content == item.gold
        assert answer.usage.prompt_tokens > answer.usage.completion_tokens > 0
        assert [model.id for model in client(server).models.list()] == [MODEL]
        assert [body["messages"] for body in server.asked] == [item.prompt]
        assert server.counts == {"answered": 1}


@slow
def test_it_answers_by_the_newer_interface_as_well(item):
    with serving(ScriptedReplies([item])) as server:
        answer = client(server).responses.create(model=MODEL, input=item.prompt)
        assert answer.output_text == item.gold
        assert answer.usage.input_tokens > answer.usage.output_tokens > 0
        system, user = (message["content"] for message in item.prompt)
        assert (
            client(server).responses.create(model=MODEL, instructions=system, input=user).output_text
            == item.gold
        )
    with serving(ScriptedReplies([item]), Faults({Fault.HALF: 1.0})) as server:
        assert client(server).responses.create(model=MODEL, input=item.prompt).status == "incomplete"


def test_it_streams(item):
    with serving(ScriptedReplies([item])) as server:
        parts = client(server).chat.completions.create(model=MODEL, messages=item.prompt, stream=True)
        texts = [part.choices[0].delta.content or "" for part in parts if part.choices]
    assert "".join(texts) == item.gold


def test_a_wrong_key_and_an_unknown_model_are_refused(openai, item):
    with serving(ScriptedReplies([item]), key="right") as server:
        with pytest.raises(openai.AuthenticationError):
            ask(server, item, key="wrong")
        assert server.asked == []
        assert ask(server, item, key="right").choices
        with pytest.raises(openai.NotFoundError, match="there is 'demo'"):
            client(server, key="right").chat.completions.create(model="other", messages=item.prompt)


def refused(item, fault, error):
    with serving(ScriptedReplies([item]), Faults({fault: 1.0})) as server, pytest.raises(error):
        ask(server, item)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.TOO_MANY, "RateLimitError"),
        (Fault.SERVER, "InternalServerError"),
        (Fault.BUSY, "InternalServerError"),
        (Fault.CUT, "APIConnectionError"),
        (Fault.JSON, None),
    ],
)
def test_requests_fail_as_they_are_to(openai, item, fault, error):
    # The client that cannot read an answer says so in its own way, or leaves it to the reader of JSON.
    named = getattr(openai, error) if error else json.JSONDecodeError
    refused(item, fault, (named, openai.APIError))


@slow
def test_a_request_that_failed_may_succeed_when_it_is_sent_again(item):
    prompt = "\n\n".join(message["content"] for message in item.prompt)
    drawn = (Faults({Fault.TOO_MANY: 0.5}, seed=seed) for seed in count())
    faults = next(item for item in drawn if item.of(prompt, 0))
    with serving(ScriptedReplies([item]), faults) as server:
        assert ask(server, item, max_retries=9).choices[0].message.content == item.gold
        assert server.counts[Fault.TOO_MANY] > 0


@pytest.mark.parametrize("fault", [Fault.EMPTY, Fault.NULL, Fault.HALF, Fault.LONG])
def test_replies_are_spoilt_as_they_are_to_be(item, fault):
    with serving(ScriptedReplies([item]), Faults({fault: 1.0})) as server:
        choice = ask(server, item).choices[0]
    content = choice.message.content
    expected = {Fault.EMPTY: "", Fault.NULL: None, Fault.HALF: item.gold[: len(item.gold) // 2]}
    if fault is Fault.LONG:
        assert content.startswith(item.gold)
        assert len(content) >= 1_000_000
    else:
        assert content == expected[fault]
    assert choice.finish_reason == ("length" if fault in (Fault.HALF, Fault.LONG) else "stop")


@slow
def test_a_slow_answer_makes_the_client_give_up(openai, item, monkeypatch):
    monkeypatch.setattr(module, "SLOW_SECONDS", 0.4)
    with serving(ScriptedReplies([item]), Faults({Fault.SLOW: 1.0})) as server:
        with pytest.raises(openai.APITimeoutError):
            ask(server, item, timeout=0.1)
        assert ask(server, item, timeout=5).choices


def test_it_dies_after_so_many_requests(openai, item):
    with serving(ScriptedReplies([item]), Faults(after=2)) as server:
        assert [ask(server, item).choices[0].message.content for _ in range(2)] == [item.gold] * 2
        for _ in range(3):
            with pytest.raises(openai.APIError):
                ask(server, item)
        assert server.counts.total() == 2


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"{}", b'{"messages": []}', b'{"messages": [1]}', b"\xff"]
)
def test_what_is_no_conversation_is_refused(item, body):
    with serving(ScriptedReplies([item])) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
        connection.request("POST", "/v1/chat/completions", body)
        answer = connection.getresponse()
        assert answer.status == 400
        assert "no messages" in json.loads(answer.read())["error"]["message"]
        connection.close()


@pytest.mark.parametrize("path", ["/", "/v1", "/v2/models"])
def test_other_paths_are_not_found(item, path):
    with serving(ScriptedReplies([item])) as server, pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}{path}", timeout=5)


def test_a_port_that_is_taken_or_none_is_refused(item):
    with serving(ScriptedReplies([item])) as server, pytest.raises(UsageError, match="cannot be opened"):
        DemoServer(ScriptedReplies([item]), port=server.server_port)
    with pytest.raises(UsageError, match="cannot be opened"):
        DemoServer(ScriptedReplies([item]), port=70000)
