"""The progress of long work: a bar on a terminal, otherwise a line now and then."""

from __future__ import annotations

import multiprocessing
import sys
import time
from typing import Any

from tqdm import tqdm

LINE_SECONDS = 15.0  # between two lines outside a terminal
LINE = "{desc}: {percentage:.0f}%, {n_fmt} of {total_fmt} [{elapsed}<{remaining}, {rate_fmt}]"


class ProgressLines:
    """A line on stderr every LINE_SECONDS, for log files; no line where the work is quicker."""

    def __init__(self, label: str, total: int, unit: str) -> None:
        """Begin to count now."""
        self.label, self.total, self.unit = label, total, unit
        self.n = 0
        self._begin = self._printed = time.monotonic()

    def __enter__(self) -> ProgressLines:
        """Return these lines."""
        return self

    def __exit__(self, *error: object) -> None:
        """End without a line."""

    def update(self, n: int = 1) -> None:
        """Count ``n`` items; print a line if the last one is old."""
        self.n += n
        now = time.monotonic()
        if now - self._printed >= LINE_SECONDS:
            self._printed = now
            line = tqdm.format_meter(
                self.n, self.total, now - self._begin, prefix=self.label, unit=self.unit, bar_format=LINE
            )
            print(line, file=sys.stderr, flush=True)


def progress(label: str, total: int, unit: str = "item") -> tqdm[Any] | ProgressLines:
    """Return the progress of ``total`` items on stderr: a bar on a terminal, otherwise lines.

    Without a label, or in a worker, nothing is shown.
    """
    tqdm.monitor_interval = 0  # its thread would keep pools from forking
    is_hidden = not label or multiprocessing.parent_process() is not None
    if is_hidden or sys.stderr.isatty():
        return tqdm(total=total, desc=label, unit=unit, leave=False, file=sys.stderr, disable=is_hidden)
    return ProgressLines(label, total, unit)
