"""Workers of a Dask cluster: one that runs somewhere, or one of processes here, started for the purpose.

A worker needs this package in the same version, on the same Python, and nothing else: what people wrote of a
checkout is brought to it, rows come with the work, and what it makes goes back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from orrery.engine.batches import Death
from orrery.engine.sources import Sources
from orrery.model import OrreryError, UsageError
from orrery.orphans import guard, mark

CONNECT_SECONDS = 10
WORKERS_SECONDS = 60


class ClusterError(OrreryError):
    """A cluster that is out of reach or lacks workers; what was finished is kept."""

    code = 4


class DaskCluster:
    """The workers of the scheduler at ``address``, or ``jobs`` processes here, until it is closed."""

    spool = None  # another machine could not read it; what is long is safe between Dask's workers

    def __init__(self, address: str | None, jobs: int) -> None:
        """Connect to the cluster, or start one, and wait for the first worker.

        Raises:
            ClusterError: nobody answers at the address, or no worker comes.
            UsageError: a worker runs several threads: the work is made for one a process.
            ModuleNotFoundError: Dask is not installed.
        """
        import distributed as dask

        distributed: Any = dask  # its functions have no types
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is said here
        self._stack = ExitStack()
        with ExitStack() as stack:
            if address is None:
                address = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=jobs,
                        threads_per_worker=1,
                        memory_limit=0,
                        dashboard_address=None,
                        local_directory=str(guard().folder),
                        silence_logs=logging.CRITICAL,
                    )
                ).scheduler_address
            self.address = address
            self._client = stack.enter_context(self._connected(distributed))
            self._brought: dict[Path, tuple[Callable[..., Path], tuple[str, ...]] | None] = {}
            self._plugins: list[str] = []
            self.jobs = self._workers()
            self._executor = self._client.get_executor(pure=False)
            self._stack = stack.pop_all()

    def count_again(self) -> None:
        """Note how many workers there are now.

        Raises:
            ClusterError: the scheduler is gone, or there is no worker left.
            UsageError: a worker runs several threads.
        """
        try:
            self.jobs = self._workers()
        except (OSError, CancelledError) as error:
            raise self._lost() from error

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a worker call a function; Dask has another one do it where that one dies."""
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def bring(self, path: Path) -> tuple[Callable[..., Path], tuple[str, ...]] | None:
        """Bring the checkout at ``path`` to all workers, also to later ones; return what finds it there.

        None where there is no checkout.
        """
        if path not in self._brought:
            from orrery.engine.dask_plugin import Checkout, checkout

            self._brought[path] = None
            if sources := Sources.of(path):
                key = f"{sources.digest[:16]}-{mark()}"
                self._client.register_plugin(Checkout(sources, key))
                self._plugins.append(Checkout(sources, key).name)
                self._brought[path] = (checkout, (key,))
        return self._brought[path]

    def death(self, error: BaseException) -> Death:
        """Return how workers died, where the error of a future says that they did; else raise the error.

        Raises:
            ClusterError: the scheduler is gone.
        """
        if isinstance(error, CancelledError | OSError | TimeoutError):
            raise self._lost() from error
        if type(error).__name__ == "KilledWorker":
            return Death("died again and again, on several workers", None)
        raise error

    def close(self) -> None:
        """Give up what is not done, and end the cluster if it was started here."""
        self._executor.shutdown(wait=False)
        for name in self._plugins if self._client.status == "running" else ():
            with suppress(Exception):  # the scheduler may go just now
                self._client.unregister_worker_plugin(name)
        self._stack.close()

    def _lost(self) -> ClusterError:
        mend = "start it and run the command again: finished parts are kept"
        return ClusterError(f"Dask scheduler {self.address}", "the connection is lost", mend)

    def _connected(self, distributed: Any) -> Any:
        try:
            return distributed.Client(self.address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            where = f"Dask scheduler {self.address}"
            raise ClusterError(where, "does not answer", "start one with `dask scheduler`") from error

    def _workers(self) -> int:
        """Return how many workers there are, once there is one."""
        mend = f"start some with `dask worker {self.address} --nthreads 1`"
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except TimeoutError as error:
            raise ClusterError(f"Dask scheduler {self.address}", "has no workers", mend) from error
        threads = self._client.nthreads()
        for worker, count in threads.items():
            if count != 1:
                raise UsageError(f"Dask worker {worker}", f"runs {count} threads", mend)
        return len(threads)
