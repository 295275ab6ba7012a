"""``orrery corpus``: domains that others wrote, sifted step by step."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.score import HERE, Jobs, Root

Folders = Annotated[list[Path] | None, typer.Option("--folder", help="A folder of *.pddl to read as well.")]
Against = Annotated[
    list[str] | None,
    typer.Option(
        "--against", help="Another benchmark: a file, folder or FILE:COLUMN; what overlaps it is left out."
    ),
]
Synthesise = Annotated[
    int | None, typer.Option(min=0, help="Also make so many domains by edits of ours, for training.")
]


def corpus(
    folder: Folders = None,
    against: Against = None,
    synthesise: Synthesise = None,
    root: Root = HERE,
    jobs: Jobs = 0,
) -> None:
    """Sift the domains of installed packages and folders of yours: outputs/corpus."""
    from orrery.config import load
    from orrery.stages import corpus as stage

    summary = stage.run(load(root), jobs or os.cpu_count() or 1, folder or (), against or (), synthesise)
    for line in summary.lines():
        typer.echo(line, err=True)
