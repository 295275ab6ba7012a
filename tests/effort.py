"""How far a test looks: the numbers written in the tests are those of the thorough run (`make test-all`)."""

from __future__ import annotations

import time
from collections.abc import Iterable
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


REFERENCE = 0.01  # seconds that the work below takes on a quiet core of the build machines


def allowed(seconds: float) -> float:
    """``seconds`` of a quiet core; more where a fixed piece of work takes longer now."""
    took = []
    for _ in range(3):
        start = time.process_time()
        sorted(str(number) for number in range(50_000))
        took.append(time.process_time() - start)
    return seconds * max(1.0, min(took) / REFERENCE)
