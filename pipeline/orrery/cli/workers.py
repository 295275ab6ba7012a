"""Options that say who does the work: how many processes, and which engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from orrery.workers import Workers


class EngineName(StrEnum):
    """The engines: processes of this machine, started where there are several items, or those of Dask."""

    AUTO = "auto"
    POOL = "pool"
    DASK = "dask"


Jobs = Annotated[int, typer.Option(min=0, envvar="ORRERY_JOBS", help="Worker processes; 0 means one a core.")]
Engine = Annotated[
    EngineName,
    typer.Option(
        envvar="ORRERY_ENGINE",
        help="Who does the work: processes of this machine (auto and pool), or the workers of Dask.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        envvar="ORRERY_ADDRESS",
        help="The scheduler of Dask, as tcp://host:8786; without it, workers are started here.",
    ),
]
AUTO = EngineName.AUTO


@contextmanager
def working(jobs: int, engine: EngineName, address: str | None) -> Iterator[Workers]:
    """Yield the workers that the options name; those of a cluster are left at the end of the block."""
    if address and engine is not EngineName.DASK:
        raise typer.BadParameter("needs --engine dask", param_hint="--address")
    jobs = jobs or os.cpu_count() or 1
    if engine is not EngineName.DASK:
        yield Workers(jobs)
        return
    from orrery.dask_workers import dask_workers

    with dask_workers(jobs, address) as workers:
        yield workers
