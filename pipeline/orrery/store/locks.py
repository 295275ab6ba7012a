"""Locks between processes: two runs of one stage at once would take each other's files away."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO

from orrery.model import OrreryError

try:
    import fcntl
except ImportError:  # Windows: nothing is locked there
    fcntl = None  # type: ignore[assignment]


LOCKS = ".locks"


def at_work(outputs: Path, *words: str) -> AbstractContextManager[None]:
    """Hold the lock of a command and what it works on, as ``"solve", "ferry"``; see ``alone``."""
    return alone(outputs / LOCKS / "-".join(words), " ".join(["orrery", *words]))


@contextmanager
def alone(path: Path, what: str) -> Iterator[None]:
    """Hold a lock while the block runs; the system frees it when the process ends, however it ends.

    Processes that are forked meanwhile do not hold it.

    Args:
        path: the file that stands for the lock. It goes with the lock; a process that is killed leaves
            it, and the next one takes it over.
        what: what is locked, for the message.

    Raises:
        OrreryError: another process holds it.
    """
    with _locked(path, what) as file:
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_closing(file))
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        try:
            yield
        finally:
            if fcntl is not None:  # while it is still locked; elsewhere an open file cannot be removed
                path.unlink(missing_ok=True)


def _locked(path: Path, what: str) -> IO[str]:
    """Return the file, open and locked; one that its last holder has just removed locks nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        file = path.open("a+", encoding="ascii")
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(file, path):
                return file
        except BlockingIOError as error:
            raise _held(file, what) from error
        except BaseException:
            file.close()
            raise
        file.close()


def _closing(file: IO[str]) -> Callable[[], None]:
    """Return a function that closes a file if it still is open somewhere; it does not keep it open."""
    reference = weakref.ref(file)

    def close() -> None:
        if (found := reference()) is not None:
            found.close()

    return close


def _held(file: IO[str], what: str) -> OrreryError:
    """Return the error that names who holds the lock."""
    with file:
        file.seek(0)
        other = f" (process {number})" if (number := file.read().strip()) else ""
    return OrreryError(what, f"is already at work{other}", "wait for it, or end it")


def _is_at(file: IO[str], path: Path) -> bool:
    """Return whether a path still names an open file."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
