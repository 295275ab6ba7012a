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
_LINE = 200  # bytes, more than it has


class OutOfTime(BaseException):
    """The exception that ends a call; code that catches every Exception does not catch it."""


class Watch:
    """The watch of this process; get it with ``watch``.

    While calls run, the limit on the address space of the process is what it had before them, and
    ``megabytes`` more. It never outlasts them, or processes started later would inherit it.
    """

    def __init__(self, seconds: float, megabytes: int) -> None:
        """Prepare to watch; the thread starts with the first call, and ends when there are no more."""
        self.seconds, self.megabytes = seconds, megabytes
        self._lock = threading.Lock()
        self._calls: dict[int, list[object]] = {}  # the calls that run, by thread: what they are called
        self._told: dict[int, int] = {}  # how often a thread was told to end its call
        self._awake = False
        self._size = _STATM.open("rb", buffering=0) if _STATM.exists() else None
        self._born: tuple[int, int] | None = None  # the limits on memory before the calls that run

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...], *what: object) -> Any:
        """Call a function under the limits; tens of thousands of calls a second are nothing to it.

        ``what`` says in an error which call it is: it is not put together before.

        Raises:
            OutOfTime: it took more processor time.
            MemoryError: it took more memory.
        """
        mine = threading.get_ident()
        outer = self._calls.get(mine)
        with self._lock:
            if not self._calls:
                self._limit_memory()
            self._calls[mine] = [*what]  # a new object: the same call is known by it
            if not self._awake:
                self._awake = True
                threading.Thread(target=self._look, daemon=True).start()
        try:
            return function(*arguments)
        finally:
            while self._calls.get(mine) is not outer:
                try:  # noqa: SIM105 - a context manager is a call, before which it could be raised, too
                    self._end_of(mine, outer)
                except OutOfTime:
                    pass  # told to end when it just had

    def renew(self, *what: object) -> None:
        """Begin to count anew, inside a call: what follows is another piece of work, with limits of its own.

        To begin and to end a call takes longer than many a piece of work.
        """
        self._calls[threading.get_ident()] = [*what]

    def _end_of(self, thread: int, outer: list[object] | None) -> None:
        """Note the end of a call, around which ``outer`` still runs."""
        with self._lock:
            # It ended just when it was told to: nothing may be raised in what follows.
            if self._told.pop(thread, 0):
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), None)
            if outer is None:
                if len(self._calls) == 1:
                    self._lift_limit()
                del self._calls[thread]
            else:
                self._calls[thread] = outer

    def _lift_limit(self) -> None:
        """Set the limit on memory as it was before."""
        if self._born is not None:
            resource.setrlimit(resource.RLIMIT_AS, self._born)
            self._born = None

    def _limit_memory(self) -> None:
        """Limit the address space, unless it cannot be limited or has a lower limit."""
        if resource is None or self._size is None:
            return
        pages = int(os.pread(self._size.fileno(), _LINE, 0).split(b" ", 1)[0])
        limit = pages * resource.getpagesize() + self.megabytes * MEGABYTE
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        if all(each == resource.RLIM_INFINITY or each > limit for each in (soft, hard)):
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
            self._born = soft, hard

    def _look(self) -> None:
        """Look at the calls until there have been none for a moment."""
        seen: dict[int, tuple[list[object], float]] = {}
        while True:
            time.sleep(MOMENT)
            with self._lock:
                calls = dict(self._calls)
                if not calls and not seen:
                    self._awake = False
                    return
                same = {thread: seen[thread] for thread, call in calls.items()
                        if thread in seen and seen[thread][0] is call}  # fmt: skip
                for thread, (call, since) in same.items():
                    if _processor_time(thread) - since > self.seconds:
                        self._end(thread, call)
                seen = {
                    thread: same.get(thread) or (call, _processor_time(thread))
                    for thread, call in calls.items()
                }

    def _end(self, thread: int, call: list[object]) -> None:
        """Tell a call to end; if it has not heeded that for long, end the process."""
        self._told[thread] = self._told.get(thread, 0) + 1
        if self._calls.get(thread) is not call:  # asked after it was noted: see ``run``
            return
        if self._told[thread] > IGNORED:
            problem = f"has not ended after {self.seconds:.0f} s of processor time, and cannot be interrupted"
            where = ": ".join(map(str, call))
            print(f"error: {OrreryError(where, problem, 'mend it')}", file=sys.stderr, flush=True)
            os._exit(OrreryError.code)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OutOfTime))


@lru_cache(maxsize=8)
def watch(process: int, seconds: float, megabytes: int) -> Watch:
    """Return the watch of the process with this number: one that was forked has no thread that looks."""
    return Watch(seconds, megabytes)


def _processor_time(thread: int) -> float:
    """Return the processor time of a thread; of the whole process where it cannot be told apart."""
    if hasattr(time, "pthread_getcpuclockid"):
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    return time.process_time()
