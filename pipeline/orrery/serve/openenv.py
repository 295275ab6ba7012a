"""OpenEnv: reset, step and state over HTTP, its WebSocket, and what a server tells of itself.

OpenEnv's clients use the WebSocket; each connection is a session. Over HTTP, the answer to a reset has a
``session_id``, which the requests that follow name.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from orrery import __version__
from orrery.model import OrreryError, UsageError
from orrery.serve.exchange import AsciiJSONResponse, json_body, read_json
from orrery.serve.requested_worlds import WorldMaker
from orrery.serve.sessions import NoRoom, Session, Sessions, UnknownSession
from orrery.worlds.episode import WorldTurn

LONGEST_EPISODE_ID = 255
_TEXT = {"type": "string"}
METADATA = {
    "name": "orrery_worlds",
    "description": "Planning domains that one acts in, with exact costs to go.",
}
SCHEMA = {
    "action": {
        "type": "object",
        "properties": {
            "reply": {
                "type": ["string", "integer"],
                "description": "An action in words or in PDDL, its number in the list, or a question.",
            }
        },
        "required": ["reply"],
    },
    "observation": {
        "type": "object",
        "properties": {
            "text": _TEXT,
            "admissible": {"type": "array", "items": _TEXT},
            "reason": {"type": "string", "description": "Why the episode is over."},
            "info": {"type": "object"},
            "session_id": _TEXT,
            "seed": {"type": "integer"},
        },
    },
    "state": {
        "type": "object",
        "properties": {
            "episode_id": {"type": ["string", "null"]},
            "step_count": {"type": "integer"},
            "total_reward": {"type": "number"},
            "transcript": {"type": "object"},
        },
    },
}
TYPES = "types: reset, step, state, close"
TRY_AGAIN_LATER = 1013  # a code of the protocol
ATTEMPTS, PAUSE = 20, 0.1  # to open a session on a full server, and the seconds between them


class OpenEnv:
    """The handlers of the addresses and of connections. Whatever takes time runs in threads."""

    def __init__(self, sessions: Sessions, maker: WorldMaker) -> None:
        """Create the handlers."""
        self._sessions, self._maker = sessions, maker

    def _reset(self, session: Session | None, data: Any) -> dict[str, Any]:
        """Start an episode, in a session or in a new one.

        Raises:
            UsageError: the request is not possible.
        """
        episode_id, wanted = _reset_of(data)
        if session is None:
            session, turn = self._sessions.opened(lambda: self._maker.world(wanted), episode_id)
        else:
            turn = session.reset(lambda: self._maker.world(wanted), episode_id)
        return _turn_as_json(turn, session)

    def _step(self, session: Session, action: Any) -> dict[str, Any]:
        """Answer the reply in an action ``{"reply": ...}``.

        Raises:
            UsageError: the action has another form, or the session has no world yet.
        """
        reply = action.get("reply") if isinstance(action, dict) else None
        if isinstance(reply, bool) or not isinstance(reply, str | int):
            raise UsageError("action", "has no reply", 'send {"reply": "..."}, with a text or a number')
        return _turn_as_json(session.step(reply), session)

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
            WebSocketRoute("/ws", self.connection),
        ]

    async def reset(self, request: Request) -> Response:
        """Start an episode, in a new session or in the one that is named."""
        data = await json_body(request)
        session_id = data.pop("session_id", None)
        session = None if session_id is None else self._sessions.get(session_id)
        return AsciiJSONResponse(await run_in_threadpool(self._reset, session, data))

    async def step(self, request: Request) -> Response:
        """Answer a reply."""
        data = await json_body(request)
        session = self._sessions.get(data.get("session_id"))
        return AsciiJSONResponse(await run_in_threadpool(self._step, session, data.get("action")))

    async def close(self, request: Request) -> Response:
        """Remove a session."""
        session = self._sessions.get((await json_body(request)).get("session_id"))
        self._sessions.close(session.id)
        return AsciiJSONResponse({"closed": True})

    def state(self, request: Request) -> Response:
        """Return the state of an episode, with its transcript."""
        return AsciiJSONResponse(self._sessions.get(request.query_params.get("session_id")).state())

    async def connection(self, websocket: WebSocket) -> None:
        """Answer the messages of a connection, one after the other."""
        await websocket.accept()
        try:
            session = await self._session()
        except NoRoom as error:
            await websocket.send_text(json.dumps(_refusal(error)))
            await websocket.close(TRY_AGAIN_LATER)
            return
        try:
            with suppress(WebSocketDisconnect):  # the client is gone before it has its answer
                await self._talk(websocket, session)
        finally:
            self._sessions.close(session.id)

    async def _session(self) -> Session:
        """Return a new session.

        A client closes a connection before the server closes its session. Who connects again at once may
        therefore meet a full server for a moment.

        Raises:
            NoRoom: the server stays full.
        """
        for _ in range(ATTEMPTS):
            with suppress(NoRoom):
                return self._sessions.open()
            await asyncio.sleep(PAUSE)
        return self._sessions.open()

    async def _talk(self, websocket: WebSocket, session: Session) -> None:
        while (message := await websocket.receive())["type"] == "websocket.receive":
            text = message.get("text") or message.get("bytes") or ""
            answer = await run_in_threadpool(self._answer, session.id, text)
            if answer is None:
                await websocket.close()
                return
            await websocket.send_text(json.dumps(answer, allow_nan=False))

    def _answer(self, session_id: str, text: str | bytes) -> dict[str, Any] | None:
        """Return the answer to a message; None to the one that closes the session."""
        try:
            message = read_json(text)
            session, data = self._sessions.get(session_id), message.get("data", {})
            match message.get("type"):
                case "reset":
                    return {"type": "observation", "data": self._reset(session, data)}
                case "step":
                    return {"type": "observation", "data": self._step(session, data)}
                case "state":
                    return {"type": "state", "data": session.state()}
                case "close":
                    return None
                case other:
                    raise UsageError(f"message type {other!r:.60}", "is unknown", TYPES)
        except OrreryError as error:
            return _refusal(error)


def _reset_of(data: Any) -> tuple[str | None, dict[str, Any]]:
    """Return the name that a client gives an episode, and the request for a world."""
    if not isinstance(data, dict):
        raise UsageError("data", "must be a JSON object")
    episode_id = data.get("episode_id")
    is_short = isinstance(episode_id, str) and len(episode_id) <= LONGEST_EPISODE_ID
    if episode_id is not None and not is_short:
        raise UsageError("episode_id", f"must be a text of at most {LONGEST_EPISODE_ID} characters")
    return episode_id, {name: value for name, value in data.items() if name != "episode_id"}


def _turn_as_json(turn: WorldTurn, session: Session) -> dict[str, Any]:
    observation = {
        "text": turn.observation,
        "admissible": turn.admissible,
        "reason": turn.reason,
        "info": dict(turn.info),
        "session_id": session.id,
        "seed": session.seed,
    }
    return {"observation": observation, "reward": turn.reward, "done": turn.done}


def _refusal(error: OrreryError) -> dict[str, Any]:
    """Return the message about an error, with the code that OpenEnv has for it."""
    if isinstance(error, NoRoom):
        code = "CAPACITY_REACHED"
    elif isinstance(error, UnknownSession):
        code = "SESSION_ERROR"
    else:
        code = "VALIDATION_ERROR" if isinstance(error, UsageError) else "EXECUTION_ERROR"
    return {"type": "error", "data": {"message": str(error), "code": code}}
