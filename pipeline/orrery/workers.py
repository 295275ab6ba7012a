"""Map a function over items: in this process, in a pool of processes, or on a Dask cluster.

Results have the order of the items and do not depend on the number of workers. Executors are those of
``concurrent.futures`` and Dask (``dask_workers``). This module adds the order, the progress, and the
name of the item that failed.

Three properties of process pools determine the code. A pool waits forever for the rest of a long result if
its sender was killed, so a long result is passed as a file. A broken pool does not report which item broke
it, so the next items in order run again, each alone. A worker survives a killed parent, so it watches the
parent.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import psutil

from orrery.model import OrreryError, ServiceError
from orrery.progress import progress

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 16  # items per worker that are submitted before the slowest result arrives
PIPE_BYTES = 2048  # a system writes this many bytes to a pipe at once or not at all
CHECK_SECONDS = 5.0  # maximum wait for a result before the connection to the cluster is checked
GUARD = (
    "in a script, call it below `if __name__ == '__main__':`, because each worker process reads the script"
)
SHOWN = 120  # maximum characters of the description of an item
THREADS = Path("/proc/self/task")  # contains a folder for each thread of this process, on Linux


class WorkerError(Exception):
    """An error of a worker that cannot be pickled; contains its traceback as text."""


class ClusterError(ServiceError):
    """A cluster that is unreachable or has no workers."""


@dataclass(frozen=True)
class Workers:
    """``jobs`` processes of this machine, or of the cluster behind ``executor``.

    With one job the work is done in this process. ``is_connected`` returns whether the cluster responds.
    """

    jobs: int = 1
    executor: Executor | None = None
    is_connected: Callable[[], bool] = lambda: True


ALONE = Workers()


def map_items(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    workers: Workers = ALONE,
    *,
    label: str = "",
    describe: Callable[[Item], str] = repr,
) -> Iterator[Result]:
    """Yield the results of ``function``, in the order of ``items``.

    Function, items and results must be picklable, unless the work is done in this process. ``label`` is the
    name of the work in the progress on stderr. An exception of ``function`` is raised with a note that
    describes the item; later items are not processed.

    Raises:
        OrreryError: an item ended its worker process twice.
        ClusterError: the connection to the cluster is lost.
    """
    results: Generator[Result, None, None]
    listed = items if isinstance(items, Sequence) else list(items)
    if workers.executor is not None:
        results = _on_cluster(workers.executor, workers.is_connected, function, listed, AHEAD * workers.jobs)
    elif workers.jobs == 1 or len(listed) < 2:
        results = (function(item) for item in listed)
    else:
        results = _in_pool(function, listed, min(workers.jobs, len(listed)))
    with closing(results), progress(label, len(listed)) as bar:
        for number, item in enumerate(listed):
            try:
                result = next(results)
            except Exception as error:
                text = describe(item)
                short = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
                error.add_note(f"at item {number + 1} of {len(listed)}: {short}")
                raise
            bar.update()
            yield result


def _ahead(
    submit: Callable[[Item], Future[Any]], items: Sequence[Item], most: int, futures: deque[Future[Any]]
) -> Iterator[Future[Any]]:
    """Yield a future for each item, in order, with up to ``most`` submitted ones in ``futures``."""
    for item in items:
        futures.append(submit(item))
        if len(futures) == most:
            yield futures[0]
            futures.popleft()
    while futures:
        yield futures[0]
        futures.popleft()


def _in_pool(function: Callable[[Any], Any], items: Sequence[Any], jobs: int) -> Generator[Any, None, None]:
    """Yield results of a pool of processes; after the death of a worker, continue with another pool.

    Finished results are kept. The next unfinished items run alone, because one of them broke the pool.
    """
    done, futures = 0, deque[Future[Any]]()
    with TemporaryDirectory(prefix="orrery-results-", ignore_cleanup_errors=True) as folder:
        files = Path(folder)

        def submit(pool: Executor, item: Any) -> Future[Any]:
            return pool.submit(_call_packed, files, _packed(pickle.dumps((function, item)), files))

        while done < len(items):
            with suppress(BrokenProcessPool), _pool(jobs) as pool:
                for future in _ahead(partial(submit, pool), items[done:], AHEAD * jobs, futures):
                    yield _unpacked(future.result())
                    done += 1
            suspects = 0
            while futures and suspects <= 2 * jobs:
                future = futures.popleft()
                if isinstance(future.exception(), BrokenProcessPool):
                    suspects += 1
                    yield _alone(submit, items[done])
                else:
                    yield _unpacked(future.result())
                done += 1
            futures.clear()


def _alone(submit: Callable[[Executor, Any], Future[Any]], item: Any) -> Any:
    """Run an item in its own process, after a worker died that may have run it; return the result."""
    try:
        with _pool(1) as pool:
            return _unpacked(submit(pool, item).result())
    except BrokenProcessPool as error:
        memory = (
            "it may have run out of memory: run the command again with fewer jobs; finished parts are kept"
        )
        mend = f"{GUARD}; otherwise {memory}" if _start_method().get_start_method() == "spawn" else memory
        raise OrreryError("worker process", "died twice on the same item", mend) from error


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of processes, which is killed at the end of the block."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, _start_method(), _begin_worker)
    try:
        yield pool
    finally:
        _end(set(multiprocessing.active_children()) - before)
        pool.shutdown(cancel_futures=True)


def _unpacked(packed: bytes | Path) -> Any:
    """Return a value packed by ``_packed``; its file is removed."""
    if isinstance(packed, Path):
        data = packed.read_bytes()
        packed.unlink()
        return pickle.loads(data)
    return pickle.loads(packed)


def _start_method() -> Any:
    """Return the start method of workers: fork if this process has no other thread, otherwise spawn.

    Forking a process with threads (of Arrow or OpenBLAS) can hang; spawning imports everything again.
    """
    is_single = THREADS.is_dir() and len(list(THREADS.iterdir())) == 1
    return multiprocessing.get_context("fork" if is_single else "spawn")


def _begin_worker() -> None:
    """Initialize a worker: ignore Ctrl-C, which the parent handles, and end together with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        for program in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                program.kill()
        os._exit(1)


def _end(workers: Iterable[BaseProcess]) -> None:
    """Kill workers and their child processes. All are collected before the first one is killed."""
    processes = []
    for worker in workers:
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(worker.pid)
            process.suspend()
            processes += [*process.children(recursive=True), process]
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def _call_packed(folder: Path, packed: bytes | Path) -> bytes | Path:
    """Return the packed result of a packed function and item."""
    function, item = _unpacked(packed)
    try:
        data = pickle.dumps(function(item))
    except SystemExit as error:
        raise WorkerError(f"the work ended its process: sys.exit({error.code!r})") from None
    except Exception as error:
        if not _is_picklable(error):
            raise WorkerError("".join(traceback.format_exception(error))) from None
        raise
    return _packed(data, folder)


def _packed(data: bytes, folder: Path) -> bytes | Path:
    """Return the data, or a file in ``folder`` that contains it if it is long.

    A pipe that is full when the workers are killed never empties, and Python 3.11 waits for it without end.
    """
    if len(data) <= PIPE_BYTES:
        return data
    handle, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    return Path(name)


def _is_picklable(error: Exception) -> bool:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # in the class of the error
        return False
    return True


def _on_cluster(
    executor: Executor,
    is_connected: Callable[[], bool],
    function: Callable[[Any], Any],
    items: Sequence[Any],
    most: int,
) -> Generator[Any, None, None]:
    """Yield results of an executor of Dask, which repeats the work of a dead worker.

    If the scheduler is lost, Dask cancels futures, except one whose result it is fetching and one that was
    just submitted. So the wait for a result regularly checks the connection to the scheduler.
    """
    try:
        for future in _ahead(lambda item: executor.submit(function, item), items, most, deque()):
            while not wait([future], CHECK_SECONDS).done:
                if not is_connected():
                    raise CancelledError
            yield future.result()
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise OrreryError("worker process", "died repeatedly, on several workers") from error
        if isinstance(error, CancelledError) or not is_connected():
            mend = "start it and run the command again: finished parts are kept"
            raise ClusterError("Dask scheduler", "the connection is lost", mend) from error
        raise
