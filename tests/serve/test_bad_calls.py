"""Calls over MCP that are not possible get one clear message, which a model can read, and change nothing."""

import asyncio

import httpx
import pytest

pytest.importorskip("mcp", reason="the package mcp is not installed: it is in requirements.lock")
from mcp import Client, MCPError

from orrery.serve.app import worlds_app
from orrery.serve.exchange import MOST_BYTES
from orrery.serve.mcp_server import WorldsOverMCP
from orrery.serve.mcp_tools import McpTools
from orrery.serve.requested_worlds import WorldMaker
from orrery.serve.sessions import Sessions
from tests.every_domain import ROOT

UNKNOWN = "session: is not known"
TABLE = [
    ("fly", {}, "tool 'fly': is unknown (tools: reset, board, debark, sail, look, list)"),
    ("", {}, "tool '': is unknown"),
    ("board", {}, UNKNOWN),
    ("board", {"session": "guessed", "c": "c1", "l": "l1"}, UNKNOWN),
    ("board", {"session": ["a"], "c": "c1"}, UNKNOWN),
    ("reset", {"seed": -1}, "seed: "),
    ("reset", {"seed": "7"}, "seed: "),
    ("reset", {"difficulty": "cruel"}, "difficulty 'cruel': is unknown"),
    ("reset", {"split": "exam"}, "split"),
    ("reset", {"domain": "grippers"}, "argument 'domain': is unknown (arguments: seed, difficulty, split)"),
    ("reset", {"reward": "shaped"}, "argument 'reward': is unknown"),
    ("reset", {"session": "guessed"}, UNKNOWN),
]


@pytest.mark.parametrize(("name", "arguments", "part"), TABLE, ids=range(len(TABLE)))
def test_what_is_not_possible_is_told(maker, name, arguments, part):
    sessions = Sessions()
    result = called(sessions, maker, (name, arguments))[0]
    assert result.is_error
    (text,) = result.content
    assert part in text.text
    assert "\n" not in text.text
    assert len(sessions) == 0


def called(sessions, maker, *calls, only=None):
    """The results of calls by a client in this process."""

    async def main():
        server = WorldsOverMCP(McpTools(sessions, maker, only))
        async with Client(server._server) as mcp:
            return [await mcp.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(main())


ARGUMENTS = [
    {},
    {"c": "c1"},
    {"c": 1, "l": None},
    {"c": "l1", "l": "c1"},
    {"c": "c1) (", "l": "l1"},
    {"x": "y"},
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=range(len(ARGUMENTS)))
def test_wrong_arguments_are_errors_that_the_world_explains(maker, arguments):
    sessions = Sessions()
    session = sessions.open()
    _, result = called(sessions, maker, ("reset", {"seed": 7}), ("board", arguments), only=session)
    assert result.is_error
    assert "action of this world" in result.content[0].text
    assert session.state()["step_count"] == 0
    assert session.state()["invalid_total"] == 1


def test_what_is_impossible_is_an_answer_and_no_error(maker):
    sessions = Sessions()
    session = sessions.open()
    reset, step = called(
        sessions, maker, ("reset", {"seed": 7}), ("debark", {"c": "c1", "l": "l1"}), only=session
    )
    assert not reset.is_error
    assert not step.is_error
    assert "cannot" in step.content[0].text


def refused_list(server):
    """The message of the error that a client gets for a list of tools."""

    async def main():
        async with Client(server) as mcp:
            with pytest.raises(MCPError) as error:
                await mcp.list_tools()
            return str(error.value)

    return asyncio.run(main())


def test_an_address_without_a_world_has_no_tools(address):
    assert UNKNOWN in refused_list(f"{address}/mcp/guessed")


def test_without_a_default_domain_there_are_tools_only_for_sessions():
    tools = McpTools(Sessions(), WorldMaker(ROOT))
    assert "start the server with --domain" in refused_list(WorldsOverMCP(tools)._server)


def test_too_long_a_call_and_pages_of_other_sites_are_refused(client):
    assert client.post("/mcp", content=" " * (MOST_BYTES + 1)).status_code == 413
    assert client.post("/mcp", json={}, headers={"origin": "http://evil.example"}).status_code == 403
    assert client.post("/mcp", json={}, headers={"host": "evil.example"}).status_code == 400
    assert client.post("/mcp", content="{").status_code in range(400, 500)


def test_without_mcp_the_other_addresses_are_served(maker):
    async def main():
        transport = httpx.ASGITransport(worlds_app(Sessions(), maker, with_mcp=False))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            assert (await client.post("/reset", json={"seed": 7})).status_code == 200
            assert (await client.get("/mcp/x")).status_code == 404

    asyncio.run(main())
