"""``orrery seal`` and ``orrery unseal``: exams that stay sealed until they were taken."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.options import HERE, Root

Key = Annotated[Path, typer.Option(help="The file with the secret key: at least 32 random bytes.")]


def seal(
    key: Key,
    into: Annotated[
        Path, typer.Option(help="A new folder for the private build; it contains the secret seed.")
    ],
    apart_from: Annotated[
        list[Path] | None,
        typer.Option(
            help="A dataset whose problems are not drawn again; may be repeated (default: outputs/dataset)."
        ),
    ] = None,
    root: Root = HERE,
) -> None:
    """Build a private twin of the dataset, drawn by a secret key, and a commitment to publish now."""
    from orrery.config import load
    from orrery.stages import seal as stage

    commitment = stage.seal(load(root), key, into, apart_from or ())
    typer.echo(f"publish now:   {commitment}")
    typer.echo(f"publish later: {into / 'outputs' / stage.PUBLISHED}, then the key")
    typer.echo("use a new key for each exam: a published key discloses every exam that it seals")


def unseal(
    commitment: Annotated[Path, typer.Option(help="The commitment that was published.")],
    dataset: Annotated[Path, typer.Option("--verify", help="The folder of the dataset.")],
    key: Annotated[
        Path | None, typer.Option(help="The key, if published: compare it with the commitment, too.")
    ] = None,
) -> None:
    """Verify that a dataset, to the byte, is the one of a commitment."""
    from orrery.stages import seal as stage

    committed = stage.unseal(commitment, dataset, key)
    typer.echo(f"{dataset} is the dataset of {commitment}: data {committed.data_version}, {committed.size}")
    if key:
        typer.echo(f"{key} is its key")
