"""Requests that are not possible get one clear message with a code of the client's fault, and harm nobody."""

import json
import socket
from urllib.parse import urlparse

import httpx
import pytest
from starlette.testclient import TestClient
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from orrery.serve import exchange
from orrery.serve.app import worlds_app
from orrery.serve.requested_worlds import MOST_STEPS, WorldMaker
from orrery.serve.sessions import Sessions
from tests.every_domain import ROOT

SOCKET = "ws://localhost/ws"
DEEP = "[" * 100_000
TABLE = [
    ("/reset", b"{", 400, "request: is not JSON"),
    ("/reset", b"[1]", 400, "must be a JSON object"),
    ("/reset", b"\xff\xfe", 400, "is not JSON"),
    ("/reset", DEEP, 400, "request: is"),
    ("/reset", '{"seed": NaN}', 400, "NaN is not a number in JSON"),
    ("/reset", {"seed": -1}, 400, "seed: "),
    ("/reset", {"seed": "7"}, 400, "seed: "),
    ("/reset", {"seed": 1.5}, 400, "seed: "),
    ("/reset", {"seed": True}, 400, "seed: "),
    ("/reset", {"seed": 2**63}, 400, "seed: "),
    ("/reset", '{"seed": ' + "9" * 5000 + "}", 400, "request: is not JSON"),
    ("/reset", {"domain": "chess"}, 400, "domain 'chess': has no worlds (domains: "),
    ("/reset", {"domain": "../../etc"}, 400, "domain '../../etc'"),
    ("/reset", {"domain": "composed/-1"}, 400, "domain 'composed--1'"),
    ("/reset", {"domain": 3}, 400, "domain: "),
    ("/reset", {"domain": "x" * 1000}, 400, "domain: "),
    ("/reset", {"difficulty": "cruel"}, 400, "difficulty 'cruel': is unknown"),
    ("/reset", {"split": "exam"}, 400, "split"),
    ("/reset", {"kind": "cruise"}, 400, "kind 'cruise'"),
    ("/reset", {"reward": "dense"}, 400, "reward: Input should be 'sparse'"),
    ("/reset", {"rewards": "sparse"}, 400, "a request may have: domain, seed, "),
    ("/reset", {"root": "/"}, 400, "'root': is unknown"),
    ("/reset", {"max_states": 10**9}, 400, "'max_states': is unknown"),
    ("/reset", {"max_steps": 0}, 400, "max_steps: Input"),
    ("/reset", {"max_steps": "many"}, 400, "max_steps: "),
    ("/reset", {"max_steps": MOST_STEPS + 1}, 400, "must be at most 10,000"),
    ("/reset", '{"step_cost": 1e999}', 400, "step_cost: Input"),
    ("/reset", {"discount": 0}, 400, "discount"),
    ("/reset", {"episode_id": 5}, 400, "episode_id: "),
    ("/reset", {"session_id": "guessed"}, 404, "session: is not known"),
    ("/reset", b" " * (exchange.MOST_BYTES + 1), 413, "more than 262,144 bytes"),
    ("/step", {}, 404, "session: is not known"),
    ("/step", {"session_id": ["a"], "action": {"reply": 1}}, 404, "session: is not known"),
    ("/close", {"session_id": "guessed"}, 404, "session: is not known"),
    ("/board", {"c": "c1"}, 404, "session: is not known"),
    ("/seed_session", {"domain": "chess"}, 400, "domain 'chess'"),
    ("/health", {}, 404, "session: is not known"),
]  # fmt: skip


def refusal(answer, code):
    """The one message of an answer."""
    assert answer.status_code == code, answer.text
    (message,) = answer.json().values()
    assert "Traceback" not in message
    assert "\n" not in message
    return message


@pytest.mark.parametrize(("path", "body", "code", "part"), TABLE, ids=range(len(TABLE)))
def test_what_is_not_possible_is_told(client, path, body, code, part):
    content = json.dumps(body) if isinstance(body, dict) else body
    assert part in refusal(client.post(path, content=content), code)


ACTIONS = [None, {}, [], "sail", {"reply": None}, {"reply": 1.5}, {"reply": True}, {"reply": ["sail"]}]


@pytest.mark.parametrize("action", ACTIONS, ids=range(len(ACTIONS)))
def test_an_action_without_a_reply_is_no_step(client, action):
    session = client.post("/reset", json={"seed": 7}).json()["observation"]["session_id"]
    assert "reply" in refusal(client.post("/step", json={"session_id": session, "action": action}), 400)
    assert client.get("/state", params={"session_id": session}).json()["transcript"]["turns"] == []


REPLIES = ["", "\x00", "\ud800", "dance", "(board c1)", "[ACTION] x [/ACTION]", "x" * 100_000, -1, 10**30]


@pytest.mark.parametrize("reply", REPLIES, ids=range(len(REPLIES)))
def test_a_reply_that_is_no_action_is_a_turn(client, reply):
    session = client.post("/reset", json={"seed": 7}).json()["observation"]["session_id"]
    content = json.dumps({"session_id": session, "action": {"reply": reply}})
    answer = client.post("/step", content=content)
    assert answer.status_code == 200
    assert answer.json()["observation"]["info"]["outcome"] == "not understood"
    state = client.get("/state", params={"session_id": session}).json()
    assert state["transcript"]["turns"][0]["reply"] == str(reply)


def test_a_failed_reset_leaves_the_episode_and_makes_no_session(maker):
    sessions = Sessions(limit=1)
    with TestClient(worlds_app(sessions, maker), "http://localhost") as client:
        refusal(client.post("/reset", json={"domain": "chess"}), 400)
        assert len(sessions) == 0
        session = client.post("/reset", json={"seed": 7}).json()["observation"]["session_id"]
        client.post("/step", json={"session_id": session, "action": {"reply": 1}})
        refusal(client.post("/reset", json={"session_id": session, "seed": -1}), 400)
        assert client.get("/state", params={"session_id": session}).json()["step_count"] == 1


@pytest.mark.slow
def test_a_full_server_says_so(maker):
    with TestClient(worlds_app(Sessions(limit=1), maker), "http://localhost") as client:
        first = client.post("/reset", json={}).json()["observation"]["session_id"]
        assert "holds 1 sessions, and all of their episodes are going on" in refusal(
            client.post("/reset"), 503
        )
        with client.websocket_connect(SOCKET) as socket:
            assert socket.receive_json()["data"]["code"] == "CAPACITY_REACHED"
        assert client.post("/close", json={"session_id": first}).json() == {"closed": True}
        assert client.post("/reset").status_code == 200


def test_without_a_default_domain_a_request_names_one():
    with TestClient(worlds_app(Sessions(), WorldMaker(ROOT)), "http://localhost") as client:
        assert "start the server with --domain" in refusal(client.post("/reset", json={}), 400)
        assert client.post("/reset", json={"domain": "grippers"}).status_code == 200


def test_pages_of_other_sites_and_other_names_of_this_machine_are_refused(client, address, maker):
    strangers = {"origin": "http://evil.example"}
    assert "another site" in refusal(client.post("/reset", headers=strangers), 403)
    assert client.post("/reset", headers={"origin": address}).status_code == 200
    assert client.post("/reset", headers={"host": "evil.example"}).status_code == 400
    with (
        pytest.raises(InvalidStatus),
        connect(address.replace("http", "ws") + "/ws", origin="http://evil.example"),
    ):
        pass
    with TestClient(worlds_app(Sessions(), maker, any_host=True), "http://worlds.example") as open_client:
        assert open_client.post("/reset").status_code == 200
        assert open_client.post("/reset", headers=strangers).status_code == 403


MESSAGES = [
    "{", "[]", "", '{"type": "dance"}', '{"type": "step", "data": {"reply": 1}}', '{"type": "state"}',
    b"\xff", '{"type": "reset", "data": [1]}', '{"type": "reset", "data": {"domain": "chess"}}',
    '{"type": ["reset"]}',
]  # fmt: skip


def test_messages_that_are_not_possible_leave_the_connection_open(address):
    with connect(address.replace("http", "ws") + "/ws") as socket:
        for message in MESSAGES:
            socket.send(message)
            answer = json.loads(socket.recv())
            assert (answer["type"], answer["data"]["code"]) == ("error", "VALIDATION_ERROR")
        socket.send(b'{"type": "reset", "data": {"seed": 7}}')
        assert json.loads(socket.recv())["type"] == "observation"
        socket.send('{"type": "close"}')
        with pytest.raises(ConnectionClosed):
            socket.recv()
    with connect(address.replace("http", "ws") + "/ws") as socket:
        socket.send(" " * (exchange.MOST_BYTES + 1))
        with pytest.raises(ConnectionClosed, match="1009"):
            socket.recv()


def test_a_connection_that_breaks_ends_its_session(maker):
    sessions = Sessions()
    with TestClient(worlds_app(sessions, maker), "http://localhost") as client:
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json({"type": "reset", "data": {"seed": 7}})
            session = socket.receive_json()["data"]["observation"]["session_id"]
            assert client.get("/state", params={"session_id": session}).status_code == 200
        refusal(client.get("/state", params={"session_id": session}), 404)
        assert len(sessions) == 0


def test_half_a_request_does_not_hold_up_others(client, address):
    where = urlparse(address)
    with socket.create_connection((where.hostname, where.port)) as stuck:
        stuck.sendall(b"POST /reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert client.get("/health").json() == {"status": "healthy"}


def test_a_lost_session_does_not_count_in_nemo_gym(address):
    with httpx.Client(base_url=address, cookies={"orrery_session": "gone"}) as client:
        answer = client.post("/verify", json={"response": {}}).json()
    assert (answer["reward"], answer["mask_sample"], answer["failure_kind"]) == (0.0, True, "session_lost")


def test_a_tool_that_does_not_exist_is_told(client):
    client.post("/seed_session", json={"seed": 7})
    message = refusal(client.post("/fly", json={}), 400)
    assert message == "tool 'fly': is unknown (tools: board, debark, sail, look, list)"
    assert "takes 2 arguments" in client.post("/board", json={"c": "c1"}).text
