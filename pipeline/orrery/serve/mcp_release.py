"""Find out whether a release of ``mcp`` is installed that the server can use."""

from __future__ import annotations

from orrery.installation import has_release, install
from orrery.model import ToolMissing

SINCE = 2  # the release whose server is used here


def has_mcp() -> bool:
    """Return whether the installed release of ``mcp`` is recent enough."""
    return has_release("mcp", SINCE)


def missing_mcp() -> ToolMissing:
    """Return the error that ``mcp`` is not installed, or too old."""
    return ToolMissing(
        "this installation", f"lacks the package mcp, release {SINCE} or later", install("mcp")
    )
