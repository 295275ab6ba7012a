"""Sessions under names of their callers: sent again they are the same, and closed they stay closed."""

import threading

import pytest

import orrery
from orrery.model import UsageError
from orrery.serve import nemo_gym
from orrery.serve.nemo_gym import CallerSessions
from orrery.serve.sessions import Sessions, UnknownSession


def ferry():
    return orrery.world("ferry", seed=7), 7


def test_a_name_has_one_session():
    sessions = Sessions()
    named = CallerSessions(sessions)
    first = named.opened("a", ferry)
    assert named.opened("a", ferry) is first
    assert named.opened("b", ferry) is not first
    assert len(sessions) == 2


def test_a_closed_name_stays_closed():
    sessions = Sessions()
    named = CallerSessions(sessions)
    named.opened("a", ferry)
    assert [named.close("a"), named.close("a"), named.close("never opened")] == ["a", "a", "never opened"]
    for name in ("a", "never opened"):
        with pytest.raises(UsageError, match="is closed"):
            named.opened(name, ferry)
    assert len(sessions) == 0


def test_a_close_while_the_world_is_made_leaves_no_session():
    sessions = Sessions()
    named = CallerSessions(sessions)

    def slowly():
        named.close("a")
        return ferry()

    with pytest.raises(UsageError, match="is closed"):
        named.opened("a", slowly)
    assert len(sessions) == 0


def test_requests_for_a_name_at_once_get_one_session():
    sessions = Sessions()
    named = CallerSessions(sessions)
    both = threading.Barrier(2)
    opened = []

    def make():
        both.wait(timeout=20)
        return ferry()

    threads = [threading.Thread(target=lambda: opened.append(named.opened("a", make))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opened[0] is opened[1]
    assert len(sessions) == 1


def test_a_session_that_was_dropped_is_not_begun_anew():
    sessions = Sessions()
    named = CallerSessions(sessions)
    sessions.close(named.opened("a", ferry).id)
    with pytest.raises(UnknownSession):
        named.opened("a", ferry)


@pytest.mark.parametrize("name", ["", None, 3, "x" * 256, ["a"]], ids=range(5))
def test_a_name_is_a_short_text(name):
    named = CallerSessions(Sessions())
    with pytest.raises(UsageError, match="resources_session_id: must be a text"):
        named.opened(name, ferry)
    with pytest.raises(UsageError, match="resources_session_id: must be a text"):
        named.close(name)


def test_old_names_are_forgotten(monkeypatch):
    monkeypatch.setattr(nemo_gym, "NAMES_KEPT", 3)
    named = CallerSessions(Sessions())
    for number in range(10):
        named.close(f"name {number}")
    assert len(named._ids) == 3


def test_an_environment_server_seeds_calls_verifies_and_closes(client):
    seed = {
        "resources_session_id": "mine",
        "episode_id": {"rollout_id": "r", "attempt": 0},
        "task_id": {"taskset": "t", "task_id": "0"},
        "task_data": {"domain": "ferry", "seed": 7, "other": "x"},
    }
    assert client.post("/seed_session", json=seed).json() == {"resources_session_id": "mine"}
    session = client.cookies["orrery_session"]
    assert client.post("/seed_session", json=seed).json() == {"resources_session_id": "mine"}
    assert client.cookies["orrery_session"] == session
    assert client.post("/look", json={}).text == orrery.world("ferry", seed=7).step("look").observation
    assert client.post("/verify", json={"response": {}}).json()["reward"] == 0.0
    close = {"resources_session_id": "mine", "episode_id": seed["episode_id"]}
    for _ in range(2):
        assert client.post("/close_session", json=close).json() == {"resources_session_id": "mine"}
    assert client.post("/look", json={}).status_code == 404
    assert client.post("/seed_session", json=seed).status_code == 400
    assert client.post("/close_session", json={}).status_code == 400
