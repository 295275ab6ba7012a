"""JSON requests and answers of the server of worlds, and the refusal of requests."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from orrery.library.streams import NoItem
from orrery.model import OrreryError, ToolMissing, UsageError
from orrery.serve.sessions import NoRoom, UnknownSession

MOST_BYTES = 2**18  # of a request; a reply that names an action is far shorter


class AsciiJSONResponse(JSONResponse):
    """JSON in ASCII, so that a reply with any characters can be repeated in an answer."""

    def render(self, content: Any) -> bytes:
        """Return the JSON text."""
        return json.dumps(content, allow_nan=False).encode("ascii")


def read_json(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object of a text; an empty text is an empty object.

    Raises:
        UsageError: it is not a JSON object.
    """
    try:
        data = json.loads(text, parse_constant=_no_number) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        reason = "is too deep" if isinstance(error, RecursionError) else f"is not JSON: {error}"
        raise UsageError("request", reason) from None
    if not isinstance(data, dict):
        raise UsageError("request", "must be a JSON object")
    return data


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON")


async def json_body(request: Request, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """Return the JSON object in the body of a request.

    Raises:
        HTTPException: the body is too long.
        UsageError: it is not a JSON object.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most_bytes:
            raise HTTPException(413, f"request: has more than {most_bytes:,} bytes")
    return read_json(body)


async def refused(request: Request, error: Exception) -> Response:
    """Return the answer to a request that failed: one message."""
    if isinstance(error, HTTPException):
        return AsciiJSONResponse({"detail": error.detail}, error.status_code, error.headers)
    return AsciiJSONResponse({"detail": str(error)}, _status(error))


def _status(error: Exception) -> int:
    if isinstance(error, UnknownSession | NoRoom):
        return 404 if isinstance(error, UnknownSession) else 503
    if isinstance(error, ToolMissing):
        return 501
    return 400 if isinstance(error, UsageError | NoItem) else 500


class OwnPagesOnly:
    """Refuses requests that a browser sends for a page of another site.

    Such a page can send requests to this machine without being able to read the answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] in ("http", "websocket"):
            headers = HTTPConnection(scope).headers
            origin = headers.get("origin")
            if origin is not None and origin.partition("://")[2] != headers.get("host"):
                refusal = OrreryError("request", "comes from a page of another site")
                await AsciiJSONResponse({"detail": str(refusal)}, 403)(scope, receive, send)
                return
        await self.app(scope, receive, send)
