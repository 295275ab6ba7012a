"""``orrery browse``: look at a dataset in a browser."""

from __future__ import annotations

import sys
import webbrowser
from typing import Annotated

import typer

from orrery.cli.options import HERE, Dataset, Port, Source
from orrery.dataset.addresses import PORT

Open = Annotated[bool, typer.Option("--open", help="Also open the page in the browser of this machine.")]


def browse(dataset: Dataset = None, port: Port = PORT, show: Open = False, root: Source = None) -> None:
    """Look at the dataset in a browser: rows, pictures, plans, prompts, answers; grade replies.

    Serves pages on localhost, to this machine alone, until Ctrl-C, and prints their address. Nothing is
    changed, and nothing is fetched from elsewhere.
    """
    from orrery.installation import find_root
    from orrery.stages import browse as stage

    outputs = (root or HERE) / "outputs"

    def say(address: str) -> None:
        typer.echo(address)
        sys.stdout.flush()
        typer.echo("browse: Ctrl-C ends it", err=True)
        if show:
            webbrowser.open(address)

    stage.run(dataset or outputs / "dataset", outputs, find_root(root).absolute(), port, say)
