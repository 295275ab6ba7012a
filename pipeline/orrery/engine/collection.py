"""Work that makes much and no cycles of references, without looking for cycles all the time."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 6_000_000  # blocks of memory of Python, some 500 MB


@contextmanager
def no_collection() -> Iterator[None]:
    """Have Python look for cycles outside the block only, and not at what the block leaves behind.

    For blocks of a fraction of a second that make thousands of tuples and sets: each look goes through what
    is there, which takes up to a third of their time. What they leave is mostly what is remembered; a cycle
    among it stays in memory. So from some size of the process on, Python looks at all that is new.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if sys.getallocatedblocks() < MANY:
            gc.freeze()
        gc.enable()
