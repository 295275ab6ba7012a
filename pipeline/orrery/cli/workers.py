"""Options that say who does the work: how many processes, and which engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from orrery.engine.names import ADDRESS, ENGINE, JOBS, EngineName

Jobs = Annotated[int, typer.Option(min=0, envvar=JOBS, help="Worker processes; 0 means one a core.")]
Engine = Annotated[
    EngineName,
    typer.Option(
        envvar=ENGINE,
        help="Who does the work: processes here once it is worth their start, processes here at once, "
        "or Dask.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        envvar=ADDRESS,
        help="The scheduler of Dask, as tcp://host:8786; without it, workers are started here.",
    ),
]
AUTO = EngineName.AUTO


@contextmanager
def working(jobs: int, engine: EngineName, address: str | None) -> Iterator[int]:
    """Have the work of the block done as the options say; yield the number of processes."""
    if address and engine is not EngineName.DASK:
        raise typer.BadParameter("needs --engine dask", param_hint="--address")
    from orrery.engine import using

    with using(engine, address):
        yield jobs or os.cpu_count() or 1
