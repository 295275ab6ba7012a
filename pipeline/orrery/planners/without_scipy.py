"""Keeps scipy and cffi out of processes that search states: numba would load both with the first loop.

They serve linear algebra and functions in C, of which no loop has any, and take as long to load as all that
numba needs itself. As with pandas this is for processes of commands only: a user's own keeps what it has.
"""

from __future__ import annotations

from functools import cache

from orrery.store.without_pandas import is_spared, kept_out

SCIPY, CFFI = "scipy.linalg", "cffi"


@cache
def keep_scipy_out() -> None:
    """Have numba look for both now, in vain, where the command asks for it and scipy is not loaded."""
    if is_spared(SCIPY):
        from numba.core.registry import cpu_target

        with kept_out("scipy", CFFI):
            cpu_target.typing_context.refresh()
            cpu_target.target_context.refresh()
