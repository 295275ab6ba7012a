"""``orrery browse``: the pages of a dataset in a browser, served on localhost until Ctrl-C."""

from __future__ import annotations

import socket
import sys
import webbrowser
from contextlib import suppress
from typing import Annotated

import typer

from orrery.cli.options import HERE, Dataset, Port, Source
from orrery.dataset.addresses import PORT
from orrery.model import UsageError

HOST = "127.0.0.1"

Open = Annotated[bool, typer.Option("--open", help="Also open the page in the browser of this machine.")]


def browse(dataset: Dataset = None, port: Port = PORT, show: Open = False, root: Source = None) -> None:
    """Browse the dataset in a web browser: rows, pictures, plans, prompts, answers. Grade replies.

    Serve pages on localhost until Ctrl-C, and print their address. Only this machine can read them. The pages
    change no files and load nothing from other servers.
    """
    import uvicorn

    from orrery.browse.app import browser
    from orrery.installation import find_root

    outputs = (root or HERE) / "outputs"
    app = browser(dataset or outputs / "dataset", outputs, find_root(root).absolute())
    with _bound(port) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off"))
        address = f"http://{HOST}:{listening.getsockname()[1]}"
        typer.echo(address)
        sys.stdout.flush()
        typer.echo("browse: press Ctrl-C to stop", err=True)
        if show:
            webbrowser.open(address)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])


def _bound(port: int) -> socket.socket:
    """Return a socket that listens on localhost. Port 0 means any free port."""
    try:
        return socket.create_server((HOST, port))
    except (OSError, OverflowError) as error:
        mend = "name another with --port, or 0 for any that is free"
        raise UsageError(f"port {port}", f"cannot be opened: {error}", mend) from error
