"""``orrery compose``: domains drawn from mechanics and themes."""

from __future__ import annotations

from typing import Annotated

import typer

from orrery.cli.options import AUTO, HERE, Address, Engine, Jobs, Root, working

Number = Annotated[int, typer.Option(min=0, help="The number of the composition that --show prints.")]
Show = Annotated[bool, typer.Option("--show", help="Print one composition; write nothing.")]
Check = Annotated[bool, typer.Option("--check", help="Only check the files of mechanics and themes.")]


def compose(
    number: Number = 0,
    show: Show = False,
    check: Check = False,
    root: Root = HERE,
    jobs: Jobs = 0,
    engine: Engine = AUTO,
    address: Address = None,
) -> None:
    """Draw domains from mechanics and themes, with problems and texts: outputs/composed."""
    from orrery.composition.compose import check as check_files
    from orrery.config import load
    from orrery.stages import compose as stage
    from orrery.stages.running import running

    settings = load(root)
    if check:
        check_files(root)
        return
    if show:
        typer.echo(stage.show(root, settings.seed, number))
        return
    with running(settings, stage.STAGE), working(jobs, engine, address) as workers:
        summary = stage.run(settings, workers)
    for line in summary.lines():
        typer.echo(line, err=True)
