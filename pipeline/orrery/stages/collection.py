"""Work that makes much and no cycles of references, without looking for cycles all the time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Have Python look for cycles after the block only.

    For blocks of a fraction of a second that make thousands of tuples and sets: each look goes through what
    is there, which takes up to a third of their time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
