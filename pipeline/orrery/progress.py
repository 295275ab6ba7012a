"""The progress of long work: a bar on a terminal, otherwise lines at intervals."""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

from tqdm import tqdm

LINE_SECONDS = 15.0  # interval of lines outside a terminal
# Without a remaining time: the first items take longest, because processes start and large items come first.
LINE = "{desc}: {percentage:.0f}%, {n_fmt} of {total_fmt} [{elapsed}]"
BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt} of {total_fmt} [{elapsed}]"


class _Lines(tqdm):  # type: ignore[type-arg]  # generic for type checkers alone
    """A line on stderr every LINE_SECONDS, for log files; no line for shorter work."""

    def display(self, msg: str | None = None, pos: int | None = None) -> None:
        """Print a line, unless no item or every item is done."""
        if msg is None and 0 < self.n < (self.total or 0):
            print(self, file=sys.stderr, flush=True)


def progress(label: str, total: int, unit: str = "item") -> tqdm[Any]:
    """Return the progress of ``total`` items on stderr: a bar on a terminal, otherwise lines.

    Without a label, or in a worker, nothing is printed.
    """
    tqdm.monitor_interval = 0  # its thread would prevent pools from forking
    is_hidden = not label or multiprocessing.parent_process() is not None
    options: dict[str, Any] = {
        "total": total,
        "desc": label,
        "unit": unit,
        "leave": False,
        "disable": is_hidden,
    }
    if is_hidden or sys.stderr.isatty():
        return tqdm(file=sys.stderr, bar_format=BAR, **options)
    return _Lines(file=sys.stderr, bar_format=LINE, mininterval=LINE_SECONDS, miniters=1, **options)
