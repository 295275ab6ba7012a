"""Workers on this machine: the standard library's pool of processes.

What it lacks is added: a guard that ends the processes with this one, and the item that one was at work on
when it was killed. A pool waits for ever for the rest of a result whose sender was killed midway, so long
results come by files.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orrery.engine.batches import Death, Ended, busy_with
from orrery.orphans import Guard, guard

if TYPE_CHECKING:
    from orrery.engine.forking import Forking

GRACE_SECONDS = 5.0
LOOK_SECONDS = 0.01
THREADS = Path("/proc/self/task")  # has a folder for each thread of this process, where there is such a thing


class ProcessPool:
    """Up to ``jobs`` processes, some started as there is work; ``spool`` is a folder for what is long."""

    bring = None

    def __init__(self, jobs: int) -> None:
        """Prepare to fork them, which costs nothing, or to spawn them, which imports everything again.

        Forking a process with threads (Arrow, OpenBLAS, DVC) can hang.
        """
        self.jobs = jobs
        self.spool: Path | None = Path(tempfile.mkdtemp(prefix="pool-", dir=guard().folder))
        forks = _has_one_thread()
        self._context = _forking() if forks else _Spawning()
        begin = (_begin, (guard() if forks else None,))
        self._executor = ProcessPoolExecutor(jobs, self._context, *begin)
        self._at_work: list[Future[Any]] = []
        if forks:  # all of them now, before anything starts a thread
            self.submit(int)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a worker call a function."""
        future = self._executor.submit(function, *arguments)
        self._at_work = [*(each for each in self._at_work if not each.done()), future]
        return future

    def death(self, error: BaseException) -> Death:
        """Return which worker died, where the error of a future says that one did; else raise the error."""
        if not isinstance(error, BrokenExecutor):
            raise error
        ended = self._ended()
        # The executor asks the others to end: they are not the one, unless there is no other.
        asked = (0, Ended.asked, -signal.SIGTERM)
        dead = [each for each in ended if each.exitcode not in asked] or ended
        found = [(self._number(each), each.exitcode) for each in dead]
        number, code = min(found, key=lambda pair: (pair[0] is None, pair[0] or 0), default=(None, None))
        if code is None:
            return Death("was lost", number)
        how = f"was killed by signal {-code}" if code and code < 0 else f"ended with exit code {code}"
        return Death(how, number)

    def _ended(self) -> list[BaseProcess]:
        """Return the processes that ended, waiting a little for all of them.

        A thread of the executor waits for them too. Only one of two who wait learns the exit code, and the
        other may look before it is written down, so an end without an exit code is looked at again.
        """
        deadline = time.monotonic() + GRACE_SECONDS
        while any(each.exitcode is None for each in self._context.started) and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)
        return [each for each in self._context.started if each.exitcode is not None]

    def close(self) -> None:
        """End the workers, killing one that does not respond, and those that have nothing left to do.

        What these hold would be freed piece by piece, which takes a second and more; their guards tidy up.
        """
        if not all(each.done() for each in self._at_work):
            for process in self._context.started:
                process.terminate()
            for process in self._context.started:
                process.join(GRACE_SECONDS)
        for process in self._context.started:
            process.kill()
        self._executor.shutdown(cancel_futures=True)
        for process in self._context.started:
            process.join()
            guard().forget(str(process.pid))
        if self.spool is not None:
            shutil.rmtree(self.spool, ignore_errors=True)

    def _number(self, process: BaseProcess) -> int | None:
        return None if self.spool is None or process.pid is None else busy_with(self.spool, process.pid)


def _has_one_thread() -> bool:
    """Return whether this process is known to have no thread but this one, in whatever language it runs."""
    return THREADS.exists() and len(list(THREADS.iterdir())) == 1


def _forking() -> Forking:
    """Return what forks workers, which not every system can."""
    from orrery.engine.forking import Forking

    return Forking()


class _Spawned(SpawnProcess):
    """A process that ends with this one."""

    def start(self) -> None:
        super().start()
        guard().watch(str(self.pid))


class _Spawning(SpawnContext):
    """Starts such processes, and remembers them."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[BaseProcess] = []

    def Process(self, *arguments: Any, **named: Any) -> SpawnProcess:  # type: ignore[override]
        process = _Spawned(*arguments, **named)
        self.started.append(process)
        return process


def _begin(inherited: Guard | None) -> None:
    """Leave the terminal's interrupt to the parent; a request to end runs ``finally`` blocks of the work.

    A forked worker has the guard of its parent ``inherited``.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    if inherited is not None:
        inherited.leave()


def _end(*_: object) -> None:
    raise Ended(Ended.asked)
