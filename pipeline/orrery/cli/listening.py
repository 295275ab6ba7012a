"""The sockets of commands that serve."""

from __future__ import annotations

import socket

from orrery.model import UsageError

LOCALHOST = "127.0.0.1"


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at a host. Port 0 means any free port.

    Its connections send without delay: they inherit this, and asyncio does it only for sockets that it opens
    itself. Otherwise each answer in two parts takes 40 milliseconds.

    Raises:
        UsageError: the port cannot be opened.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        mend = "name another with --port, or 0 for any that is free"
        raise UsageError(f"port {port}", f"cannot be opened: {error}", mend) from error
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound
