"""The two ways in which clients of OpenAI ask for a reply: chat completions, and responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

CHARACTERS_A_TOKEN = 4  # about as many as tokenizers have; nothing here has tokens
CREATED = 0  # a time that does not change, so that the same question gets the same bytes

Json: TypeAlias = dict[str, Any]


class ChatCompletions:
    """``POST /v1/chat/completions``."""

    path = "/v1/chat/completions"

    @staticmethod
    def messages(body: Json) -> Any:
        """Return what stands in a request for the conversation."""
        return body.get("messages")

    @staticmethod
    def answer(body: Json, text: str | None, end: str) -> Json:
        """Return the answer to a request: a reply, and the reason why it ends."""
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
        """Return what stands in a request for the conversation, as messages."""
        content = body.get("input")
        listed = [{"role": "user", "content": content}] if isinstance(content, str) else content
        first = body.get("instructions")
        head = [{"role": "system", "content": first}] if isinstance(first, str) else []
        return [*head, *listed] if isinstance(listed, list) else None

    @staticmethod
    def answer(body: Json, text: str | None, end: str) -> Json:
        """Return the answer to a request: a reply, and the reason why it ends."""
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
