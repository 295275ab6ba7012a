"""The WebSocket of OpenEnv. Each connection is a session."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from orrery.model import OrreryError, UsageError
from orrery.serve.exchange import read_json
from orrery.serve.openenv_episodes import OpenEnvEpisodes
from orrery.serve.sessions import NoRoom, Session, UnknownSession

TYPES = "types: reset, step, state, close"
TRY_AGAIN_LATER = 1013  # a code of the protocol
ATTEMPTS, PAUSE = 20, 0.1  # to open a session on a full server, and the seconds between them


class OpenEnvSocket:
    """The handler of connections."""

    def __init__(self, episodes: OpenEnvEpisodes) -> None:
        """Create the handler."""
        self._episodes, self._sessions = episodes, episodes.sessions

    @property
    def routes(self) -> list[BaseRoute]:
        """The address."""
        return [WebSocketRoute("/ws", self.connection)]

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
                    return {"type": "observation", "data": self._episodes.reset(session, data)}
                case "step":
                    return {"type": "observation", "data": self._episodes.step(session, data)}
                case "state":
                    return {"type": "state", "data": session.state()}
                case "close":
                    return None
                case other:
                    raise UsageError(f"message type {other!r:.60}", "is unknown", TYPES)
        except OrreryError as error:
            return _refusal(error)


def _refusal(error: OrreryError) -> dict[str, Any]:
    """Return the message about an error, with the code that OpenEnv has for it."""
    if isinstance(error, NoRoom):
        code = "CAPACITY_REACHED"
    elif isinstance(error, UnknownSession):
        code = "SESSION_ERROR"
    else:
        code = "VALIDATION_ERROR" if isinstance(error, UsageError) else "EXECUTION_ERROR"
    return {"type": "error", "data": {"message": str(error), "code": code}}
