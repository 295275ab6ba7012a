"""The progress of long work: a bar on a terminal, otherwise a line now and then."""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

from tqdm import tqdm

LINE_SECONDS = 15.0  # between two lines outside a terminal


def progress(label: str, total: int) -> tqdm[Any]:
    """Return a bar on stderr for work of ``total`` items; without a label, or in a worker, it is not shown.

    Outside a terminal the bar is a line every LINE_SECONDS.
    """
    tqdm.monitor_interval = 0  # its thread would keep pools from forking
    on_terminal = sys.stderr.isatty()
    return tqdm(
        total=total,
        desc=label,
        unit="item",
        leave=False,
        file=sys.stderr,
        disable=not label or multiprocessing.parent_process() is not None,
        delay=0 if on_terminal else LINE_SECONDS,
        mininterval=0.1 if on_terminal else LINE_SECONDS,
    )
