"""Options of several commands: the checkout, the dataset, the workers, and the requests to a model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from orrery.workers import Workers

HERE = Path(".")
ALL = "all"  # all tables, or all splits
PARTIAL = 5  # the exit code of partly done work

Root = Annotated[Path, typer.Option(help="The checkout to work in: the folder with params.yaml.")]
Source = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="The folder of domains and templates (default: that with params.yaml, or the installed one).",
    ),
]
Dataset = Annotated[
    Path | None,
    typer.Option(help="The folder of the dataset or of an imported set (default: outputs/dataset)."),
]
DatasetOrHub = Annotated[
    str | None,
    typer.Option(help="The folder of the dataset, or its id on the Hub (default: outputs/dataset)."),
]
Split = Annotated[str, typer.Option(help="The split: train, validation, test, or all.")]
TablePatterns = Annotated[
    str, typer.Option(help="Tables: all, or names and patterns such as 'acp_*_bool', separated by commas.")
]
Domain = Annotated[str | None, typer.Option(help="Only rows of this domain.")]
Difficulty = Annotated[str | None, typer.Option(help="Only rows of problems of this difficulty.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port on localhost; 0 for any free port.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

# Requests to a model.
BaseUrl = Annotated[
    str | None, typer.Option(help="The address of the server, for example http://127.0.0.1:8765/v1.")
]
MaxConnections = Annotated[int, typer.Option(min=1, help="Maximum number of concurrent requests.")]
MaxRetries = Annotated[
    int,
    typer.Option(
        min=0,
        help="Number of retries of a failed request; the client of a provider may send it several times"
        " at each try.",
    ),
]
Timeout = Annotated[int, typer.Option(min=1, help="Maximum duration of a request in seconds.")]
MaxTokens = Annotated[
    int | None,
    typer.Option(min=1, help="Maximum number of tokens of a reply (default: the server's limit)."),
]
Temperature = Annotated[
    float | None, typer.Option(min=0, max=100, help="Sampling temperature (default: the server's).")
]
RunName = Annotated[
    str | None, typer.Option("--run", help="Name of the run (default: derived from its arguments).")
]


class ScoringRule(StrEnum):
    """The rules by which replies are scored: ours, or those of the papers next to ours."""

    OURS = "ours"
    PUBLISHED = "published"


Rule = Annotated[
    ScoringRule,
    typer.Option(help="published: score by the rules of the papers, too (column published_rule_value)."),
]


class EngineName(StrEnum):
    """The executors: a process pool of this machine, or the workers of Dask."""

    AUTO = "auto"
    POOL = "pool"
    DASK = "dask"


Jobs = Annotated[
    int, typer.Option(min=0, envvar="ORRERY_JOBS", help="Number of worker processes; 0 means one per core.")
]
Engine = Annotated[
    EngineName,
    typer.Option(
        envvar="ORRERY_ENGINE",
        help="Executor: processes of this machine (auto, pool), or the workers of Dask.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        envvar="ORRERY_ADDRESS",
        help="Address of the Dask scheduler, for example tcp://host:8786 (default: start local workers).",
    ),
]
AUTO = EngineName.AUTO


@contextmanager
def resumable(tell: Callable[[str], None]) -> Iterator[None]:
    """Let Ctrl-C end the block with the exit code of work done in part; the next run goes on from there."""
    try:
        yield
    except KeyboardInterrupt as error:
        tell("stopped; repeat the command to continue")
        raise typer.Exit(PARTIAL) from error


@contextmanager
def working(jobs: int, engine: EngineName, address: str | None) -> Iterator[Workers]:
    """Yield the workers that the options select; a connection to a cluster is closed after the block."""
    if address and engine is not EngineName.DASK:
        raise typer.BadParameter("needs --engine dask", param_hint="--address")
    jobs = jobs or os.cpu_count() or 1
    if engine is not EngineName.DASK:
        yield Workers(jobs)
        return
    from orrery.dask_workers import dask_workers

    with dask_workers(jobs, address) as workers:
        yield workers
