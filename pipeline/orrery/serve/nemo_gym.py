"""The addresses of a resources server of NeMo Gym: seed_session, one for each tool, and verify.

NeMo Gym's agents keep the cookie of ``seed_session``, which names the session. A row of a task has the
request for its world among its entries. Agents send the row itself. Environment servers send it as
``task_data``, with a name for the session that they close in the end.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from orrery.model import UsageError, suggest
from orrery.serve.exchange import AsciiJSONResponse, json_body
from orrery.serve.requested_worlds import WorldMaker, world_entries
from orrery.serve.sessions import Session, Sessions, UnknownSession
from orrery.worlds.action_tools import world_tools
from orrery.worlds.episode import World

NAMES_KEPT = 100_000  # the oldest names are forgotten
LONGEST_NAME = 255
COOKIE, NAME = "orrery_session", "resources_session_id"
MOST_BYTES = 2**26  # of a request with a whole conversation


class CallerSessions:
    """The sessions by name.

    A request that is sent again, because its answer was lost, gets the same session. A name that was closed
    is not opened later, so that a request that was under way at the close leaves nothing behind.
    """

    def __init__(self, sessions: Sessions) -> None:
        """Create a register of names for some sessions."""
        self._sessions, self._lock = sessions, Lock()
        self._ids = OrderedDict[str, str]()  # "" for a name that was closed

    def opened(self, name: object, make: Callable[[], tuple[World, int]]) -> Session:
        """Return the session of a name, or a new one with a world.

        Raises:
            UsageError: the name is not a short text, or was closed.
            UnknownSession: the session of the name was dropped.
        """
        checked = _checked(name)
        if (session := self._session_of_name(checked)) is not None:
            return session
        session, _ = self._sessions.opened(make)
        with self._lock:
            kept = self._ids.setdefault(checked, session.id)
            self._forget_old()
        if kept != session.id:  # another request for this name, or its close, was faster
            self._sessions.close(session.id)
        return self._session_of_name(checked) or session

    def close(self, name: object) -> str:
        """Close the session of a name, if there is one, and the name for ever; return the name.

        Raises:
            UsageError: the name is not a short text.
        """
        checked = _checked(name)
        with self._lock:
            session_id = self._ids.pop(checked, "")
            self._ids[checked] = ""
            self._forget_old()
        self._sessions.close(session_id)
        return checked

    def _session_of_name(self, name: str) -> Session | None:
        """Return the session of a name; None if the name is new."""
        session_id = self._ids.get(name)
        if session_id == "":
            raise UsageError(f"session '{name:.60}'", "is closed", "use a new name")
        return None if session_id is None else self._sessions.get(session_id)

    def _forget_old(self) -> None:
        while len(self._ids) > NAMES_KEPT:
            self._ids.popitem(last=False)


def _checked(name: object) -> str:
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        raise UsageError("resources_session_id", f"must be a text of 1 to {LONGEST_NAME} characters")
    return name


class NemoGym:
    """The handlers of the addresses."""

    def __init__(self, sessions: Sessions, maker: WorldMaker) -> None:
        """Create the handlers."""
        self._sessions, self._maker = sessions, maker
        self._named = CallerSessions(sessions)

    @property
    def routes(self) -> list[BaseRoute]:
        """The addresses. The last one is that of all tools."""
        return [
            Route("/seed_session", self.seed_session, methods=["POST"]),
            Route("/close_session", self.close_session, methods=["POST"]),
            Route("/verify", self.verify, methods=["POST"]),
            Route("/{tool}", self.call, methods=["POST"]),
        ]

    async def seed_session(self, request: Request) -> Response:
        """Start the episode of a row in a new session."""
        body = await json_body(request, MOST_BYTES)
        name, row = body.get(NAME), body.get("task_data") if NAME in body else body
        wanted = world_entries(row if isinstance(row, dict) else {})
        if NAME in body:
            session = await run_in_threadpool(self._named.opened, name, lambda: self._maker.world(wanted))
        else:
            session, _ = await run_in_threadpool(self._sessions.opened, lambda: self._maker.world(wanted))
        response = AsciiJSONResponse({NAME: name} if NAME in body else {})
        response.set_cookie(COOKIE, session.id, httponly=True, samesite="strict")
        return response

    async def close_session(self, request: Request) -> Response:
        """Close a named session, whether it is there or not."""
        return AsciiJSONResponse({NAME: self._named.close((await json_body(request)).get(NAME))})

    async def call(self, request: Request) -> Response:
        """Return the observation after the call of a tool."""
        session = self._session(request)
        arguments = await json_body(request)
        name = request.path_params["tool"]
        turn = await run_in_threadpool(lambda: session.step(_reply(session, name, arguments)))
        return PlainTextResponse(turn.observation.encode("utf-8", "replace"))

    async def verify(self, request: Request) -> Response:
        """Return the conversation with its reward, which is the total of those of the episode.

        A conversation whose session is lost is marked, so that it does not count.
        """
        body = await json_body(request, MOST_BYTES)
        try:
            state = await run_in_threadpool(self._session(request).score)
        except UnknownSession as error:
            lost = {"mask_sample": True, "failure_kind": "session_lost", "failure_reason": str(error)}
            return AsciiJSONResponse({**body, "reward": 0.0, **lost})
        told = {name: state[name] for name in ("step_count", "steps_at_best", "invalid_total", "reason")}
        return AsciiJSONResponse({**body, "reward": state["total_reward"], **told})

    def _session(self, request: Request) -> Session:
        return self._sessions.get(request.cookies.get(COOKIE))


def _reply(session: Session, name: str, arguments: dict[str, Any]) -> str:
    problem = session.world.problem
    tools = {tool.name: tool for tool in world_tools(problem.domain, problem.words)}
    if name not in tools:
        raise UsageError(f"tool '{name:.60}'", "is unknown", suggest(name, "tools", tools))
    return tools[name].reply(arguments)
