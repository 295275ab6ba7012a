"""The text of a model's reply, in any of the shapes in which trainers hand it over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

ASSISTANT = "assistant"
TEXT = "text"


def text_of(completion: Any) -> str | None:
    """Return the last thing that the model said; None where nothing can be read as text.

    Args:
        completion: a string, or messages as mappings or objects with ``role`` and ``content`` (one of them
            suffices). Of several the last one of the assistant counts, for it follows any feedback. Content
            may be a list of parts, of which those of text are joined.
    """
    if completion is None or isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence) and not isinstance(completion, bytes | bytearray):
        messages = [message for message in completion if _field(message, "role") == ASSISTANT]
        return _content(messages[-1]) if messages else None
    return _content(completion) if _field(completion, "role") == ASSISTANT else None


def _content(message: Any) -> str | None:
    """Return the text of a message."""
    content = _field(message, "content")
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, Sequence) and not isinstance(content, bytes | bytearray):
        parts = [part if isinstance(part, str) else _field(part, TEXT) for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return None


def _field(message: Any, name: str) -> Any:
    """Return a field of a mapping or an object; None where it has none, or cannot say."""
    try:
        return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)
    except Exception:  # whatever classes of trainers do; no completion may raise
        return None
