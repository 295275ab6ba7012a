"""How a check says that it could not decide something a second time: neither a fault nor a pass."""

from __future__ import annotations

UNDECIDED = "undecided: "


def undecided(message: str) -> str:
    """Return a message about what was not decided a second time."""
    return UNDECIDED + message
