"""The workers of a Dask cluster: an existing one, or one started here for this command."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from orrery.model import UsageError
from orrery.parts import package_fingerprint
from orrery.workers import ClusterError, Workers

CONNECT_SECONDS = 10
WORKERS_SECONDS = 60  # maximum wait for the first worker
ANSWER_SECONDS = 60  # maximum response time of the scheduler


@contextmanager
def dask_workers(jobs: int, address: str | None = None) -> Iterator[Workers]:
    """Yield the workers of the scheduler at ``address``, or of a cluster of ``jobs`` processes started here.

    Workers need this package in the same version and see the same files under the same paths.

    Raises:
        ClusterError: the scheduler does not respond, or there are no workers.
        UsageError: a worker has several threads, or another version of this package or of Python.
    """
    import distributed as dask

    distributed: Any = dask  # its functions have no type annotations
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised here
    if address is None:
        with (
            distributed.LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            dask_workers(jobs, cluster.scheduler_address) as workers,
        ):
            yield workers
        return
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        mend = "start one with `dask scheduler`"
        raise ClusterError(f"Dask scheduler {address}", "does not answer", mend) from error
    try:
        is_connected = partial(_is_connected, client, client.scheduler_comm)
        yield Workers(_count_workers(client, address), client.get_executor(pure=False), is_connected)
    finally:
        with suppress(OSError, AssertionError):  # of a client without scheduler
            client.close(timeout=CONNECT_SECONDS)


def _is_connected(client: Any, connection: Any) -> bool:
    """Return whether the scheduler responds over its first connection; another one delivers no results."""
    if client.status != "running" or client.scheduler_comm is not connection:
        return False
    try:
        client.sync(client.scheduler.identity, callback_timeout=ANSWER_SECONDS)
    except Exception:  # of many classes, depending on when the client detects the loss
        return False
    return client.scheduler_comm is connection


def _count_workers(client: Any, address: str) -> int:
    """Return the number of workers, as soon as there is one; refuse unsuitable workers."""
    mend = f"start some with `dask worker {address} --nthreads 1`"
    try:
        client.wait_for_workers(1, timeout=WORKERS_SECONDS)
    except TimeoutError as error:
        raise ClusterError(f"Dask scheduler {address}", "has no workers", mend) from error
    for worker, threads in client.nthreads().items():
        if threads != 1:
            raise UsageError(f"Dask worker {worker}", f"runs {threads} threads", mend)
    for worker, package in client.run(package_fingerprint).items():
        if package != package_fingerprint():
            problem = "has a different version of orrery or of Python"
            raise UsageError(f"Dask worker {worker}", problem, "install the same versions on all workers")
    return len(client.nthreads())
