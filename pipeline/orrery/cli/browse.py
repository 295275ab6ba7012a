"""``orrery browse``: the pages of a dataset in a browser, served on localhost until Ctrl-C."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import suppress
from typing import Annotated

import typer

from orrery.cli.listening import LOCALHOST, listening
from orrery.cli.options import HERE, Dataset, Port, Source
from orrery.dataset.addresses import PORT

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
    with listening(LOCALHOST, port) as bound:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off"))
        address = f"http://{LOCALHOST}:{bound.getsockname()[1]}"
        typer.echo(address)
        sys.stdout.flush()
        typer.echo("browse: press Ctrl-C to stop", err=True)
        if show:
            webbrowser.open(address)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[bound])
