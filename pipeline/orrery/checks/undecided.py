"""The message of a check that could not decide something again: neither a fault nor a pass."""

from __future__ import annotations

UNDECIDED = "undecided: "


def undecided(message: str) -> str:
    """Return a message about what was not decided a second time."""
    return UNDECIDED + message
