"""How far long work is: a bar, or a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from tqdm import tqdm

LINE_SECONDS = 15.0


_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quiet() -> Iterator[None]:
    """Show no progress of what is done in the block, which is part of work whose progress is shown."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


class Progress:
    """A bar on a terminal; elsewhere, for work that takes long, a line now and then. Both on stderr."""

    def __init__(self, label: str, total: int) -> None:
        """Name the work and say how many items it has; nothing is shown without a name, nor by a worker."""
        self.label, self.total, self.done = "" if _QUIET.get() else label, total, 0
        self.start = self.last = time.monotonic()
        self.bar: tqdm[Any] | None = None

    def __enter__(self) -> Progress:
        """Show the bar, on a terminal."""
        if self.label and sys.stderr.isatty():
            tqdm.monitor_interval = 0  # a thread, with which pools would not fork
            self.bar = tqdm(total=self.total, desc=self.label, unit="item", leave=False, file=sys.stderr)
        return self

    def step(self) -> None:
        """Count one item."""
        self.done += 1
        if self.bar is not None:
            self.bar.update()
        elif self.label and time.monotonic() - self.last > LINE_SECONDS:
            self.last = time.monotonic()
            taken = f"{self.last - self.start:.0f} s"
            print(f"{self.label}: {self.done} of {self.total} in {taken}", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.close()
