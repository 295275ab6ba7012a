"""Keeps pandas out of processes that have no use for it.

pyarrow would load it with the first value it converts, which takes as long as many a stage of a domain, in
each of the hundred processes of a build. It looks for pandas once, and then does without. So this is for
processes of commands only: a user's own, who may want Arrow tables as data frames, keeps what it has.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

VARIABLE = "ORRERY_WITHOUT_PANDAS"  # set by the command, so that the workers it starts do the same
PANDAS = "pandas"


class _NotFound:
    """A finder that says of pandas that it is not installed."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return nothing of other modules, so that the next finder is asked."""
        if name == PANDAS:
            raise ModuleNotFoundError(f"{name} is kept out", name=name)
        return None


def keep_pandas_out() -> None:
    """Have pyarrow look for pandas now, in vain, where the command asks for it and pandas is not loaded."""
    if VARIABLE not in os.environ or PANDAS in sys.modules:
        return
    import pyarrow as pa

    sys.meta_path.insert(0, _NotFound)
    try:
        pa.array([None])
    finally:
        sys.meta_path.remove(_NotFound)
