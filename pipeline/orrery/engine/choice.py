"""Which engine does the work: chosen for a block, by the environment, or as it pays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from orrery.engine.batches import Bring, Death
from orrery.engine.dask_cluster import DaskCluster
from orrery.engine.names import ADDRESS, ENGINE, EngineName
from orrery.engine.process_pool import ProcessPool
from orrery.model import UsageError


class Workers(Protocol):
    """A pool or a cluster of ``jobs`` workers; a folder ``spool``, if there is one, takes what is long."""

    @property
    def jobs(self) -> int:
        """How many workers there are."""

    @property
    def spool(self) -> Path | None:
        """A folder that takes what is long."""

    @property
    def bring(self) -> Bring | None:
        """What brings a checkout to workers elsewhere; None where they see the files of this process."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a worker call a function."""

    def death(self, error: BaseException) -> Death:
        """Return how a worker died, after such an error of a future."""

    def close(self) -> None:
        """End what is at work."""


@contextmanager
def using(name: EngineName, address: str | None = None) -> Iterator[None]:
    """Have this engine do the work of the block. A cluster that it starts or joins is kept until its end."""
    engine = Engine(name, address)
    token = _CHOSEN.set(engine)
    try:
        yield
    finally:
        _CHOSEN.reset(token)
        engine.close()


@dataclass
class Engine:
    """What does the work: its name, and the cluster, once there is one."""

    name: EngineName
    address: str | None = None
    cluster: DaskCluster | None = None

    @classmethod
    def of_environment(cls) -> Engine:
        """Return the engine that the environment names; what is not named is chosen as it pays."""
        named = os.environ.get(ENGINE) or EngineName.AUTO
        try:
            return cls(EngineName(named), os.environ.get(ADDRESS) or None)
        except ValueError as error:
            known = f"engines: {', '.join(EngineName)}"
            raise UsageError(ENGINE, f"there is no engine {named!r}", known) from error

    def workers(self, jobs: int, items: int) -> AbstractContextManager[Workers]:
        """Return workers for so many items, which end with the block; those of a cluster stay.

        A pool has no more of them than there are items. A cluster is started with all ``jobs``, for later
        work may have more items, and is counted again each time, for workers may have come or gone.
        """
        if self.name is not EngineName.DASK:
            return closing(ProcessPool(min(jobs, items)))
        if self.cluster is None:
            self.cluster = DaskCluster(self.address, jobs)
        else:
            self.cluster.count_again()
        return nullcontext(self.cluster)

    def close(self) -> None:
        """Leave the cluster, if there is one."""
        if self.cluster is not None:
            self.cluster.close()


_CHOSEN: ContextVar[Engine | None] = ContextVar("engine", default=None)


@contextmanager
def chosen() -> Iterator[Engine]:
    """Yield the engine that was chosen, else one of the environment for this work alone."""
    if engine := _CHOSEN.get():
        yield engine
        return
    with closing(Engine.of_environment()) as engine:
        yield engine


def is_cluster() -> bool:
    """Return whether a cluster does the work: processes that need not see the files of this one."""
    with chosen() as engine:
        return engine.name is EngineName.DASK
