"""Work that makes much and no cycles of references, without looking for cycles all the time."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 6_000_000  # blocks of memory of Python, some 500 MB
NEW = 50_000  # objects: so many more than Python ends with before it looks among them
YOUNGER = 10  # such looks before it looks among those of the looks before, too


def seldom() -> None:
    """Have Python look for cycles less often than after every 700 new objects, as it does by default.

    Rows and claims are containers by the ten thousand, hardly any of them in a cycle: a twenty-fifth of a
    build went to looking through them. Processes that are forked look as seldom.
    """
    gc.set_threshold(NEW, YOUNGER, YOUNGER)


@contextmanager
def no_collection(*, remembered: bool = False) -> Iterator[None]:
    """Have Python look for cycles outside the block only.

    For blocks of a fraction of a second that make thousands of tuples and sets: each look goes through what
    is there, which takes up to a third of their time. Where what they leave behind is ``remembered``, Python
    does not look at it later either. A cycle among it stays in memory then, so that from some size of the
    process on Python looks at all that is new.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if remembered and sys.getallocatedblocks() < MANY:
            gc.freeze()
        gc.enable()
