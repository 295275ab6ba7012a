"""How far a test looks: the numbers written in the tests are those of the thorough run (`make test-all`)."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import settings

WHOLE = 100  # what a profile that scales nothing names as its number of examples


def some(number: int) -> int:
    """``number`` cases in the thorough run; by day a fifth, as with examples that hypothesis draws."""
    return max(1, number * settings.default.max_examples // WHOLE)


def examples(number: int) -> settings:
    """``number`` examples in the thorough run; fewer or more in others, as the profile in force says."""
    return settings(max_examples=some(number))


def sample(values: Iterable[Any], keep: int) -> list[Any]:
    """Parameters of which the first ``keep`` are always run, and the others in the thorough run only."""
    found = list(values)
    return [*found[:keep], *(pytest.param(value, marks=pytest.mark.exhaustive) for value in found[keep:])]


NEGLIGIBLE = 0.05  # seconds that noise adds, whatever the work


def grows_linearly(work: Callable[[Any], object], shorter: Any, longer: Any) -> bool:
    """Whether ``work`` is far from 16 times slower on ``longer``, four times as long as ``shorter``."""
    short = max(_seconds(work, shorter) for _ in range(2))
    allowed = 10 * short + NEGLIGIBLE
    return _seconds(work, longer) < allowed or _seconds(work, longer) < allowed


def _seconds(work: Callable[[Any], object], subject: Any) -> float:
    gc.disable()  # it would go through what other tests have left
    try:
        start = time.process_time()
        work(subject)
        return time.process_time() - start
    finally:
        gc.enable()
