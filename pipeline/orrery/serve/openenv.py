"""The addresses of OpenEnv: reset, step and state over HTTP.

OpenEnv's clients use its WebSocket. Here, the answer to a reset has a ``session_id``, which the requests that
follow name.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from orrery import __version__
from orrery.serve.exchange import AsciiJSONResponse, json_body
from orrery.serve.openenv_episodes import OpenEnvEpisodes
from orrery.serve.openenv_schema import METADATA, SCHEMA


class OpenEnv:
    """The handlers of the addresses. Whatever takes time runs in threads."""

    def __init__(self, episodes: OpenEnvEpisodes) -> None:
        """Create the handlers."""
        self._episodes, self._sessions = episodes, episodes.sessions

    @property
    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        return [
            Route("/health", lambda _: AsciiJSONResponse({"status": "healthy"})),
            Route("/metadata", lambda _: AsciiJSONResponse({**METADATA, "version": __version__})),
            Route("/schema", lambda _: AsciiJSONResponse({**SCHEMA})),
            Route("/reset", self.reset, methods=["POST"]),
            Route("/step", self.step, methods=["POST"]),
            Route("/close", self.close, methods=["POST"]),
            Route("/state", self.state),
        ]

    async def reset(self, request: Request) -> Response:
        """Start an episode, in a new session or in the one that is named."""
        data = await json_body(request)
        session_id = data.pop("session_id", None)
        session = None if session_id is None else self._sessions.get(session_id)
        return AsciiJSONResponse(await run_in_threadpool(self._episodes.reset, session, data))

    async def step(self, request: Request) -> Response:
        """Answer a reply."""
        data = await json_body(request)
        session = self._sessions.get(data.get("session_id"))
        return AsciiJSONResponse(await run_in_threadpool(self._episodes.step, session, data.get("action")))

    async def close(self, request: Request) -> Response:
        """Remove a session."""
        session = self._sessions.get((await json_body(request)).get("session_id"))
        self._sessions.close(session.id)
        return AsciiJSONResponse({"closed": True})

    def state(self, request: Request) -> Response:
        """Return the state of an episode, with its transcript."""
        return AsciiJSONResponse(self._sessions.get(request.query_params.get("session_id")).state())
