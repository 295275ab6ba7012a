"""The server of worlds, as an application of Starlette.

It has the addresses of OpenEnv, of a resources server of NeMo Gym, and of MCP if that package is installed.
All of them act in the same sessions. Unless it is started for other machines, it answers only requests to
localhost. It refuses the pages of other sites in any case.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from orrery.model import OrreryError
from orrery.serve.exchange import OwnPagesOnly, refused
from orrery.serve.mcp_tools import McpTools, has_mcp, missing_mcp
from orrery.serve.nemo_gym import NemoGym
from orrery.serve.openenv import OpenEnv
from orrery.serve.requested_worlds import WorldMaker
from orrery.serve.sessions import Sessions

HOSTS = ("127.0.0.1", "localhost")


def worlds_app(
    sessions: Sessions, maker: WorldMaker, *, any_host: bool = False, with_mcp: bool = True
) -> Starlette:
    """Return the application.

    Args:
        sessions: where the worlds of clients are kept.
        maker: makes the requested worlds.
        any_host: answer requests to any host name. Otherwise those to another one than localhost are refused,
            such as requests of a page whose name resolves to this machine (DNS rebinding).
        with_mcp: whether there are addresses of MCP. If its package is missing, they say so.
    """
    guards = [] if any_host else [Middleware(TrustedHostMiddleware, allowed_hosts=[*HOSTS])]
    routes = OpenEnv(sessions, maker).routes
    lifespan = None
    if with_mcp and not has_mcp():
        routes += [Route(path, _without_mcp, methods=["GET", "POST"]) for path in ("/mcp", "/mcp/{session}")]
    elif with_mcp:
        from orrery.serve.mcp_server import WorldsOverMCP

        over_mcp = WorldsOverMCP(McpTools(sessions, maker))
        routes += over_mcp.routes

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            async with over_mcp.running():
                yield

    return Starlette(
        routes=[*routes, *NemoGym(sessions, maker).routes],
        middleware=[*guards, Middleware(OwnPagesOnly)],
        lifespan=lifespan,
        exception_handlers={OrreryError: refused, HTTPException: refused},
    )


def _without_mcp(request: Request) -> Response:
    raise missing_mcp()
