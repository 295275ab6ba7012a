"""``orrery browse``: the pages of a dataset, served on localhost until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from orrery.browse.app import browser
from orrery.model import UsageError

HOST = "127.0.0.1"


def run(dataset: Path, outputs: Path, root: Path, port: int, say: Callable[[str], None]) -> None:
    """Serve the pages; ``say`` is told the address once they can be asked for.

    Raises:
        OrreryError: the dataset is none of ours, or a file is damaged.
        UsageError: the port is taken.
    """
    app = browser(dataset, outputs, root)
    with _bound(port) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off"))
        say(f"http://{HOST}:{listening.getsockname()[1]}")
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])


def _bound(port: int) -> socket.socket:
    """Return a socket that listens on localhost, on a free port where ``port`` is 0."""
    try:
        return socket.create_server((HOST, port))
    except (OSError, OverflowError) as error:
        mend = "name another with --port, or 0 for any that is free"
        raise UsageError(f"port {port}", f"cannot be opened: {error}", mend) from error
