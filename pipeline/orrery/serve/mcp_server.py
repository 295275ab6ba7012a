"""The actions of a domain as tools over MCP.

There are three ways to a session. A client over standard input and output has one. The address ``/mcp/ID`` of
a session that a program has reset offers its actions. At the address ``/mcp``, a call of ``reset`` starts a
session, and all other calls name it, because MCP itself has no sessions since its version 2026-07-28.

Rewards are not for the model. They are in the ``_meta`` of a result.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, ListToolsResult, TextContent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from orrery import __version__
from orrery.model import OrreryError
from orrery.serve.exchange import MOST_BYTES
from orrery.serve.mcp_tools import McpTools, ToolResult
from orrery.worlds.episode import ReplyOutcome

META = "orrery/turn"  # the entry of `_meta` with the reward


class WorldsOverMCP:
    """A server of MCP."""

    def __init__(self, tools: McpTools) -> None:
        """Create a server with some tools."""
        self._tools = tools
        self._server = Server(
            "orrery-worlds", version=__version__, on_list_tools=self._list, on_call_tool=self._call
        )
        self._http = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=MOST_BYTES
        )

    @property
    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        endpoint = StreamableHTTPASGIApp(self._http)
        return [Route("/mcp", endpoint), Route("/mcp/{session}", endpoint)]

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the context in which requests over HTTP are answered."""
        context: AbstractAsyncContextManager[None] = self._http.run()
        return context

    async def run_stdio(self) -> None:
        """Answer one client over standard input and output, until it closes them."""
        async with stdio_server() as (reading, writing):
            await self._server.run(reading, writing, self._server.create_initialization_options())

    async def _list(self, context: Any, params: Any) -> ListToolsResult:
        try:
            tools = await run_in_threadpool(self._tools.at, _session_in_address(context))
        except OrreryError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None
        names = ("name", "description", "inputSchema")
        listed = [dict(zip(names, (tool.name, tool.description, tool.schema), strict=True)) for tool in tools]
        return ListToolsResult.model_validate({"tools": listed})

    async def _call(self, context: Any, params: Any) -> CallToolResult:
        address, arguments = _session_in_address(context), dict(params.arguments or {})
        try:
            return _result(await run_in_threadpool(self._tools.call, address, params.name, arguments))
        except OrreryError as error:
            return CallToolResult(content=[_text(str(error))], is_error=True)


def _session_in_address(context: Any) -> str | None:
    """Return the id of a session in the address of a request; None if there is none."""
    request: Request | None = context.request
    return None if request is None else request.path_params.get("session")


def _result(called: ToolResult) -> CallToolResult:
    turn, session = called.turn, called.session
    texts = [turn.observation, *([f"Session: {session.id}"] if called.is_new else [])]
    return CallToolResult(
        content=[_text(text) for text in texts],
        structured_content=called.shown,
        is_error=turn.info["outcome"] == ReplyOutcome.NOT_UNDERSTOOD,
        _meta={META: {"reward": turn.reward, "seed": session.seed, "info": dict(turn.info)}},
    )


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text.encode("utf-8", "replace").decode())
