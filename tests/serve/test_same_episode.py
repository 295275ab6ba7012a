"""An episode has the same transcript and rewards over HTTP, a WebSocket, the tools of NeMo Gym, and MCP."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from websockets.sync.client import connect

import orrery
from tests.cli.serving import COMMAND
from tests.every_domain import ROOT
from tests.serve.episodes import replies, tool_call

pytest.importorskip("mcp", reason="the package mcp is not installed: it is in requirements.lock")
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from orrery.serve.mcp_server import META

DOMAINS = ("ferry", "goldminer")


@pytest.fixture(params=DOMAINS, scope="module")
def direct(request):
    """A domain, its replies, and the episode that they make without a server."""
    return request.param, *replies(request.param)


def total(world):
    return sum(turn["reward"] for turn in world.transcript()["turns"])


def checked(state, world):
    assert state["transcript"] == world.transcript()
    assert state["total_reward"] == total(world) == 1.0
    assert (state["done"], state["reason"], state["seed"]) == (True, "goal", 7)


def over_http(client, domain, said, **options):
    answer = client.post("/reset", json={"domain": domain, **{"seed": 7, **options}}).json()
    session = answer["observation"]["session_id"]
    turns = [answer]
    for reply in said:
        turns.append(client.post("/step", json={"session_id": session, "action": {"reply": reply}}).json())
    return turns, client.get("/state", params={"session_id": session}).json()


def test_over_http(client, direct):
    domain, said, world = direct
    turns, state = over_http(client, domain, said)
    checked(state, world)
    again = orrery.world(domain, seed=7)
    expected = [again.reset(), *map(again.step, said)]
    for turn, answer in zip(expected, turns, strict=True):
        seen = answer["observation"]
        assert (seen["text"], tuple(seen["admissible"])) == (turn.observation, turn.admissible)
        assert (answer["reward"], answer["done"], seen["reason"]) == (turn.reward, turn.done, turn.reason)
        assert seen["info"] == json.loads(json.dumps(dict(turn.info)))


def test_over_a_websocket(address, direct):
    domain, said, world = direct
    with connect(address.replace("http", "ws") + "/ws") as socket:

        def ask(kind, data=None):
            socket.send(json.dumps({"type": kind, "data": data or {}}))
            return json.loads(socket.recv())

        ask("reset", {"domain": domain, "seed": 7, "episode_id": "mine"})
        answers = [ask("step", {"reply": reply, "metadata": {}}) for reply in said]
        state = ask("state")
    assert {answer["type"] for answer in answers} == {"observation"}
    assert state["type"] == "state"
    assert state["data"]["episode_id"] == "mine"
    checked(state["data"], world)


def test_over_the_tools_of_nemo_gym(client, direct):
    domain, said, world = direct
    row = {
        "responses_create_params": {"input": "p"},
        "domain": domain,
        "seed": 7,
        "verifier": "unknown to us",
    }
    assert client.post("/seed_session", json=row).json() == {}
    for reply, turn in zip(said, world.transcript()["turns"], strict=True):
        name, arguments = tool_call(reply, world)
        assert client.post(f"/{name}", json=arguments).text == turn["observation"]
    session = client.cookies["orrery_session"]
    checked(client.get("/state", params={"session_id": session}).json(), world)
    verified = client.post("/verify", json={**row, "response": {"output": []}}).json()
    assert verified.items() >= {**row, "response": {"output": []}, "reward": 1.0, "reason": "goal"}.items()
    assert client.post("/verify", json=row).json()["reward"] == 1.0  # asked again, as after a lost answer


async def played(mcp, said, world, **session):
    calls = [tool_call(reply, world) for reply in said]
    results = [await mcp.call_tool(name, {**session, **arguments}) for name, arguments in calls]
    for result, turn in zip(results, world.transcript()["turns"], strict=True):
        assert result.content[0].text == result.structured_content["observation"] == turn["observation"]
        assert result.meta[META]["reward"] == turn["reward"]
        assert not result.is_error
    assert results[-1].structured_content["done"]
    return results


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_mcp_at_an_address_for_all(client, address, mode):
    said, world = replies()

    async def main():
        async with Client(f"{address}/mcp", mode=mode) as mcp:
            tools = {tool.name: tool for tool in (await mcp.list_tools()).tools}
            assert list(tools) == ["reset", "board", "debark", "sail", "look", "list"]
            assert tools["board"].input_schema["required"] == ["session", "c", "l"]
            assert tools["look"].input_schema["required"] == ["session"]
            start = await mcp.call_tool("reset", {"seed": 7})
            session = start.structured_content["session"]
            assert [text.text for text in start.content] == [world.first_observation, f"Session: {session}"]
            await played(mcp, said, world, session=session)
            return session

    checked(client.get("/state", params={"session_id": asyncio.run(main())}).json(), world)


def test_over_mcp_in_the_session_of_a_program(client, address, direct):
    domain, said, world = direct
    start = client.post("/reset", json={"domain": domain, "seed": 7}).json()["observation"]["session_id"]

    async def main():
        async with Client(f"{address}/mcp/{start}") as mcp:
            names = [tool.name for tool in (await mcp.list_tools()).tools]
            assert names == [*sorted(action.name for action in world.problem.domain.actions), "look", "list"]
            look = await mcp.call_tool("look", {})
            assert (
                look.structured_content["observation"]
                == orrery.world(domain, seed=7).step("look").observation
            )
            refused = await mcp.call_tool("reset", {"seed": 7})
            assert refused.is_error
            assert "tool 'reset': is unknown" in refused.content[0].text
            await played(mcp, said, world)

    asyncio.run(main())
    state = client.get("/state", params={"session_id": start}).json()
    assert state["transcript"]["turns"].pop(0)["reply"] == "look"
    checked(state, world)


@pytest.mark.slow
def test_over_mcp_at_standard_input_and_output(tmp_path):
    said, world = replies()
    command, *rest = [*COMMAND, "serve", "mcp", "--domain", "ferry", "--root", str(ROOT)]
    server = StdioServerParameters(command=command, args=rest, cwd=tmp_path)

    async def main():
        async with Client(stdio_client(server)) as mcp:
            tools = {tool.name: tool for tool in (await mcp.list_tools()).tools}
            assert tools["board"].input_schema["required"] == ["c", "l"]
            early = await mcp.call_tool("look", {})
            assert early.is_error
            assert early.content[0].text == "session: has no world yet (reset it first)"
            start = await mcp.call_tool("reset", {"seed": 7})
            assert [text.text for text in start.content] == [world.first_observation]
            await played(mcp, said, world)

    asyncio.run(main())


def test_sessions_do_not_disturb_each_other(client):
    sessions = {}
    for seed in (1, 2, 1):
        answer = client.post("/reset", json={"seed": seed}).json()["observation"]
        sessions[answer["session_id"]] = orrery.world("ferry", seed=seed)
    assert len(sessions) == 3
    for number in range(6):
        for place, (session, world) in enumerate(sessions.items()):
            reply = str(1 + (number + place) % 2)
            answer = client.post("/step", json={"session_id": session, "action": {"reply": reply}}).json()
            assert answer["observation"]["text"] == world.step(reply).observation
    for session, world in sessions.items():
        state = client.get("/state", params={"session_id": session}).json()
        assert state["transcript"] == world.transcript()


@pytest.mark.slow
def test_twenty_clients_at_once(address):
    episodes = [replies(seed=seed, steps=2) for seed in range(4)]

    def play(number):
        said, world = episodes[number % 4]
        with httpx.Client(base_url=address, timeout=60) as client:
            _, state = over_http(client, "ferry", said, seed=number % 4)
            return state["transcript"] == world.transcript()

    with ThreadPoolExecutor(20) as pool:
        assert all(pool.map(play, range(20)))


def test_requests_for_one_session_are_answered_one_after_the_other(address):
    with httpx.Client(base_url=address, timeout=60) as client:
        reset = {"seed": 3, "max_steps": 200, "max_invalid": 1000}
        session = client.post("/reset", json=reset).json()["observation"]["session_id"]

        def step(number):
            return client.post("/step", json={"session_id": session, "action": {"reply": 1}}).json()

        with ThreadPoolExecutor(16) as pool:
            infos = [answer["observation"]["info"] for answer in pool.map(step, range(60))]
        state = client.get("/state", params={"session_id": session}).json()
    steps = sorted(info["steps"] for info in infos if info["outcome"] == "done")
    assert steps == [*range(1, len(steps) + 1)]
    again = orrery.world("ferry", **reset)
    for turn in state["transcript"]["turns"]:
        again.step(turn["reply"])
    assert state["transcript"] == again.transcript()
