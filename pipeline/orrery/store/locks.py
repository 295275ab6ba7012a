"""Locks between processes: two runs of one stage at once would take each other's files away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orrery.model import OrreryError

try:
    import fcntl
except ImportError:  # Windows: nothing is locked there
    fcntl = None  # type: ignore[assignment]


@contextmanager
def alone(path: Path, what: str) -> Iterator[None]:
    """Hold a lock while the block runs; the system frees it when the process ends, however it ends.

    Args:
        path: the file that stands for the lock; it stays, empty or with the number of the last process.
        what: what is locked, for the message.

    Raises:
        OrreryError: another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="ascii") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                file.seek(0)
                other = f" (process {number})" if (number := file.read().strip()) else ""
                raise OrreryError(what, f"is already at work{other}", "wait for it, or end it") from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
