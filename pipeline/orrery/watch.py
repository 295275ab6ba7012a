"""Limits on calls of code by others inside this process: of processor time and of memory.

A thread looks now and then at the processor time of the threads that are inside such a call, and raises
an exception in one that has spent its time. Code that does not heed it is in the midst of one long operation,
or catches whatever it meets: then the process ends, for nothing else would end the call. (One operation that
keeps the interpreter's lock, such as the sum of a range, keeps the thread that looks from looking, too.)
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from orrery.model import OrreryError

try:
    import resource
except ImportError:  # Windows has no limits on memory
    resource = None  # type: ignore[assignment]

MOMENT = 0.5  # seconds between two looks
IGNORED = 4  # looks at a call that goes on after it was told to end
MEGABYTE = 2**20
_STATM = Path("/proc/self/statm")


class OutOfTime(BaseException):
    """The exception that ends a call; code that catches every Exception does not catch it."""


class Watch:
    """The watch of this process; get it with ``watch``.

    While it looks, the limit on the address space of the process is what it has at a look, and ``megabytes``
    more; a call in the midst of which it looks again leaves the limit where it was.
    """

    def __init__(self, seconds: float, megabytes: int) -> None:
        """Prepare to watch; the thread starts with the first call, and ends when there are no more."""
        self.seconds, self.megabytes = seconds, megabytes
        self._lock = threading.Lock()
        self._calls: dict[int, list[str]] = {}  # the calls that run, by thread
        self._told: dict[int, int] = {}  # how often a thread was told to end its call
        self._awake = False

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...], what: str) -> Any:
        """Call a function under the limits; tens of thousands of calls a second are nothing to it.

        Raises:
            OutOfTime: it took more processor time.
            MemoryError: it took more memory.
        """
        mine = threading.get_ident()
        outer = self._calls.get(mine)
        self._calls[mine] = [what]  # a new object: the same call is known by it
        if not self._awake:
            self._wake()
        try:
            return function(*arguments)
        finally:
            if outer is None:
                del self._calls[mine]
            else:
                self._calls[mine] = outer
            # It ended just when it was told to: nothing may be raised in what follows.
            if mine in self._told:
                with self._lock:
                    self._told.pop(mine, None)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(mine), None)

    def _wake(self) -> None:
        with self._lock:
            if not self._awake:
                self._awake = True
                born = _limit_memory(self.megabytes)
                threading.Thread(target=self._look, args=(born,), daemon=True).start()

    def _look(self, born: tuple[int, int] | None) -> None:
        """Look at the calls until there have been none for a moment, then set the limit as it was."""
        seen: dict[int, tuple[list[str], float]] = {}
        while True:
            time.sleep(MOMENT)
            with self._lock:
                calls = dict(self._calls)
                if not calls and not seen:
                    if born is not None:
                        resource.setrlimit(resource.RLIMIT_AS, born)
                    self._awake = False
                    return
                same = {thread: seen[thread] for thread, call in calls.items()
                        if thread in seen and seen[thread][0] is call}  # fmt: skip
                for thread, (call, since) in same.items():
                    if _processor_time(thread) - since > self.seconds:
                        self._end(thread, call)
                if not same and born is not None:
                    _limit_memory(self.megabytes, born)
                seen = {
                    thread: same.get(thread) or (call, _processor_time(thread))
                    for thread, call in calls.items()
                }

    def _end(self, thread: int, call: list[str]) -> None:
        """Tell a call to end; if it has not heeded that for long, end the process."""
        self._told[thread] = self._told.get(thread, 0) + 1
        if self._calls.get(thread) is not call:  # asked after it was noted: see ``run``
            return
        if self._told[thread] > IGNORED:
            problem = f"has not ended after {self.seconds:.0f} s of processor time, and cannot be interrupted"
            print(f"error: {OrreryError(call[0], problem, 'mend it')}", file=sys.stderr, flush=True)
            os._exit(OrreryError.code)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OutOfTime))


@lru_cache(maxsize=8)
def watch(process: int, seconds: float, megabytes: int) -> Watch:
    """Return the watch of the process with this number: one that was forked has no thread that looks."""
    return Watch(seconds, megabytes)


def _limit_memory(megabytes: int, born: tuple[int, int] | None = None) -> tuple[int, int] | None:
    """Limit the address space to what it is and so much more; return the limits before.

    None where it cannot be limited, or has a lower limit.
    """
    if resource is None or not _STATM.exists():
        return None
    soft, hard = born or resource.getrlimit(resource.RLIMIT_AS)
    pages = int(_STATM.read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + megabytes * MEGABYTE
    if any(each != resource.RLIM_INFINITY and each <= limit for each in (soft, hard)):
        return None
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    return soft, hard


def _processor_time(thread: int) -> float:
    """Return the processor time of a thread; of the whole process where it cannot be told apart."""
    if hasattr(time, "pthread_getcpuclockid"):
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    return time.process_time()
