"""The server on localhost, with the two protocols of OpenAI: chat completions and responses."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

from orrery.demo_model.faults import SLOW_SECONDS, Fault, Faults
from orrery.demo_model.replies import ScriptedReplies, prompt_text
from orrery.model import UsageError

CHARACTERS_A_TOKEN = 4  # about the average of common tokenizers; the server itself has no tokens
CREATED = 0  # a constant time, so that equal requests get equal bytes

Json: TypeAlias = dict[str, Any]


class ChatCompletions:
    """``POST /v1/chat/completions``."""

    path = "/v1/chat/completions"

    @staticmethod
    def messages(body: Json) -> Any:
        """Return the messages of a request."""
        return body.get("messages")

    @staticmethod
    def answer(body: Json, text: str | None, end: str) -> Json:
        """Return the body of an answer with a reply and its finish reason."""
        prompt_tokens, replied = _tokens(body["messages"], text)
        message = {"role": "assistant", "content": text}
        return {
            "id": "chatcmpl-demo",
            "object": "chat.completion",
            "created": CREATED,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": end}],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": replied,
                "total_tokens": prompt_tokens + replied,
            },
        }


class Responses:
    """``POST /v1/responses``."""

    path = "/v1/responses"

    @staticmethod
    def messages(body: Json) -> Any:
        """Return the input of a request as messages."""
        content = body.get("input")
        listed = [{"role": "user", "content": content}] if isinstance(content, str) else content
        first = body.get("instructions")
        head = [{"role": "system", "content": first}] if isinstance(first, str) else []
        return [*head, *listed] if isinstance(listed, list) else None

    @staticmethod
    def answer(body: Json, text: str | None, end: str) -> Json:
        """Return the body of an answer with a reply and its finish reason."""
        prompt_tokens, replied = _tokens(body["messages"], text)
        part = {"type": "output_text", "text": text or "", "annotations": []}
        message = {"id": "msg-demo", "type": "message", "role": "assistant", "status": "completed"}
        cut = end == "length"
        return {
            "id": "resp-demo",
            "object": "response",
            "created_at": CREATED,
            "model": body["model"],
            "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "output": [{**message, "content": [part]}],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": prompt_tokens,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": replied,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": prompt_tokens + replied,
            },
        }


PROTOCOLS = (ChatCompletions, Responses)


def _tokens(messages: list[Mapping[str, Any]], text: str | None) -> tuple[int, int]:
    characters = sum(len(str(message.get("content") or "")) for message in messages)
    return characters // CHARACTERS_A_TOKEN, len(text or "") // CHARACTERS_A_TOKEN


MODEL = "demo"
HOST = "127.0.0.1"
MODELS = "/v1/models"
LONG = 1_000_000  # characters
REFUSED = {
    Fault.TOO_MANY: (HTTPStatus.TOO_MANY_REQUESTS, "rate_limit_exceeded", "too many requests"),
    Fault.SERVER: (HTTPStatus.INTERNAL_SERVER_ERROR, "server_error", "the server failed"),
    Fault.BUSY: (HTTPStatus.SERVICE_UNAVAILABLE, "server_error", "the server is busy"),
}

Protocol: TypeAlias = type[ChatCompletions] | type[Responses]


class DemoServer(ThreadingHTTPServer):
    """The server, bound to a port. It answers while ``serve_forever`` runs.

    ``counts`` counts the requests by outcome. ``asked`` contains the bodies of requests in their order, if
    ``keep`` is set.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(
        self,
        replies: ScriptedReplies,
        faults: Faults | None = None,
        *,
        port: int = 0,
        delay: float = 0.0,
        key: str | None = None,
        keep: bool = False,
    ) -> None:
        """Bind a port; 0 means any free port.

        Args:
            replies: the replies of the model.
            faults: the simulated faults (default: none).
            port: the port on localhost.
            delay: seconds before each answer.
            key: the API key that requests must send (default: no key is checked).
            keep: keep the bodies of requests.

        Raises:
            UsageError: the port is in use or not a valid port.
        """
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            mend = "name another, or 0 for any that is free"
            raise UsageError(f"port {port}", f"cannot be opened: {error}", mend) from error
        self.replies, self.faults = replies, faults or Faults()
        self.delay, self.key, self.keep = delay, key, keep
        self.asked: list[Json] = []
        self.counts = Counter[str]()
        self._times = Counter[str]()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base URL for clients of the protocol."""
        return f"http://{HOST}:{self.server_port}/v1"

    def note(self, body: Json) -> Fault | None:
        """Record a request and return its fault, or None."""
        prompt = prompt_text(body["messages"])
        with self._lock:
            if self.keep:
                self.asked.append(body)
            if self.faults.after is not None and self.counts.total() >= self.faults.after:
                threading.Thread(target=self.die, daemon=True).start()
                return Fault.CUT
            fault = self.faults.of(prompt, self._times[prompt])
            self._times[prompt] += 1
            self.counts[str(fault or "answered")] += 1
            return fault

    def die(self) -> None:
        """Stop the server. Later connections are refused."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of a client that closed the connection."""


@contextmanager
def serving(replies: ScriptedReplies, faults: Faults | None = None, **options: Any) -> Iterator[DemoServer]:
    """Serve in a thread while the block runs, and keep the request bodies. Options: see ``DemoServer``."""
    server = DemoServer(replies, faults, keep=True, **options)
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.die()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """One connection, which may carry several requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: DemoServer

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""

    def do_GET(self) -> None:
        """Answer with the list of models."""
        if not self._may_enter():
            return
        if self.path.rstrip("/") != MODELS:
            return self._refuse(HTTPStatus.NOT_FOUND, "not_found", f"no such path: {self.path}")
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "orrery"}
        self._answer(HTTPStatus.OK, {"object": "list", "data": [model]})

    def do_POST(self) -> None:
        """Answer a conversation with a reply."""
        read = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self._may_enter():
            return
        protocol = next(
            (candidate for candidate in PROTOCOLS if candidate.path == self.path.rstrip("/")), None
        )
        if protocol is None:
            return self._refuse(HTTPStatus.NOT_FOUND, "not_found", f"no such path: {self.path}")
        body = _conversation(read, protocol)
        if body is None:
            return self._refuse(HTTPStatus.BAD_REQUEST, "invalid_request_error", "no messages could be read")
        if body.get("model") != MODEL:
            problem = f"the model '{body.get('model')}' does not exist; there is '{MODEL}'"
            return self._refuse(HTTPStatus.NOT_FOUND, "model_not_found", problem)
        self._reply(body, protocol, self.server.note(body))

    def _may_enter(self) -> bool:
        """Return whether the request has the right key. If not, send an error."""
        key = self.server.key
        if key is None or self.headers.get("Authorization") == f"Bearer {key}":
            return True
        self._refuse(HTTPStatus.UNAUTHORIZED, "invalid_api_key", "the key is wrong")
        return False

    def _reply(self, body: Json, protocol: Protocol, fault: Fault | None) -> None:
        """Send the reply, changed by the fault if there is one."""
        time.sleep(self.server.delay + (SLOW_SECONDS if fault is Fault.SLOW else 0))
        if fault in REFUSED:
            return self._refuse(*REFUSED[fault])
        text, end = _spoilt(self.server.replies.reply(body["messages"]), fault)
        answer = protocol.answer(body, text, end)
        if fault is Fault.JSON:
            return self._send(HTTPStatus.OK, b'{"choices": [{"message": ')
        if body.get("stream") and protocol is ChatCompletions and fault is not Fault.CUT:
            return self._stream(answer)
        sent = json.dumps(answer).encode()
        self._send(HTTPStatus.OK, sent[: len(sent) // 2] if fault is Fault.CUT else sent, size=len(sent))

    def _stream(self, answer: Json) -> None:
        """Send the answer in parts, as server-sent events."""
        choice = answer["choices"][0]
        common = {
            **{name: answer[name] for name in ("id", "created", "model")},
            "object": "chat.completion.chunk",
        }
        parts = [
            {"choices": [{"index": 0, "delta": choice["message"], "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
            {"choices": [], "usage": answer["usage"]},
        ]
        lines = [f"data: {json.dumps({**common, **part})}\n\n" for part in parts]
        self._send(HTTPStatus.OK, "".join([*lines, "data: [DONE]\n\n"]).encode(), kind="text/event-stream")

    def _refuse(self, status: HTTPStatus, code: str, message: str) -> None:
        headers = {"Retry-After": "0"} if status is HTTPStatus.TOO_MANY_REQUESTS else {}
        self._answer(status, {"error": {"message": message, "type": code, "code": code}}, headers)

    def _answer(self, status: HTTPStatus, content: Json, headers: Mapping[str, str] | None = None) -> None:
        self._send(status, json.dumps(content).encode(), headers=headers or {})

    def _send(
        self,
        status: HTTPStatus,
        content: bytes,
        *,
        size: int | None = None,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Send an answer and announce ``size`` bytes. If fewer are sent, the connection is closed."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content) if size is None else size))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.close_connection |= size not in (None, len(content))


def _conversation(read: bytes, protocol: Protocol) -> Json | None:
    """Return the body of a request with its ``messages``, or None if it contains no valid messages."""
    try:
        body = json.loads(read)
    except ValueError:
        return None
    messages = protocol.messages(body) if isinstance(body, dict) else None
    readable = (
        isinstance(messages, list) and messages and all(isinstance(message, dict) for message in messages)
    )
    return {**body, "messages": messages} if readable else None


def _spoilt(reply: str, fault: Fault | None) -> tuple[str | None, str]:
    """Return a reply as a fault changes it, and its finish reason."""
    if fault is Fault.NULL:
        return None, "stop"
    if fault is Fault.HALF:
        return reply[: len(reply) // 2], "length"
    if fault is Fault.LONG:
        return (reply + "\n") + "and so on " * (LONG // 10), "length"
    return ("" if fault is Fault.EMPTY else reply), "stop"
