"""Keeps pandas out of processes that have no use for it.

pyarrow would load it with the first value it converts, which takes as long as many a stage of a domain, in
each of the hundred processes of a build. It looks for pandas once, and then does without. So this is for
processes of commands only: a user's own, who may want Arrow tables as data frames, keeps what it has.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from types import ModuleType

VARIABLE = "ORRERY_WITHOUT_PANDAS"  # set by the command, so that the workers it starts do the same
PANDAS = "pandas"


@dataclass(frozen=True)
class _NotFound:
    """A finder that says of some packages, and what is in them, that they are not installed."""

    packages: tuple[str, ...]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return nothing of other modules, so that the next finder is asked."""
        if name.partition(".")[0] in self.packages:
            raise ModuleNotFoundError(f"{name} is kept out", name=name)
        return None


def is_spared(package: str) -> bool:
    """Return whether the command asks for processes without what they do not use, and it is not loaded."""
    return VARIABLE in os.environ and package not in sys.modules


@contextmanager
def kept_out(*packages: str) -> Iterator[None]:
    """Have packages look as if they were not installed, to what is loaded in the block."""
    finder = _NotFound(packages)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@contextmanager
def spared() -> Iterator[None]:
    """Have libraries that are loaded in the block do without pandas, where the command asks for it."""
    with kept_out(PANDAS) if is_spared(PANDAS) else nullcontext():
        yield


def keep_pandas_out() -> None:
    """Have pyarrow look for pandas now, in vain, where the command asks for it and pandas is not loaded."""
    if is_spared(PANDAS):
        import pyarrow as pa

        with kept_out(PANDAS):
            pa.array([None])
