"""How far a test looks: the numbers written in the tests are those of the thorough run (`make test-all`).

Of tests over all domains, and of other wide ones, a few cases are quick and the others slow.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import pytest
from hypothesis import settings

from tests.every_domain import CATALOG

DOMAINS_BY_DAY = 2
FIRST = ("ferry", "logistics", "blocksworld")
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


def by_day(values: Iterable[Any], keep: int) -> list[Any]:
    """Parameters of which ``keep``, from all over the list, are quick; the others are slow."""
    found = list(values)
    step = max(1, len(found) // keep)
    quick = range(0, keep * step, step)
    return [each if number in quick else _slow(each) for number, each in enumerate(found)]


def _slow(value: Any) -> Any:
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)


def two_domains_by_day(items: Iterable[pytest.Item]) -> None:
    """Mark cases as slow: of each test function that goes over domains, those of all domains but two.

    In this place alone a test over all domains is cut short, so that none has to think of it.
    """
    found: dict[str, dict[str, list[pytest.Item]]] = {}
    for item in items:
        if (name := _domain_of(item)) and not any(map(item.get_closest_marker, ("slow", "exhaustive"))):
            found.setdefault(item.nodeid.partition("[")[0], {}).setdefault(name, []).append(item)
    for by_domain in found.values():
        # Those first that take little time, with types or without; then as the test names them.
        ordered = sorted(by_domain, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
        for item in chain.from_iterable(by_domain[name] for name in ordered[DOMAINS_BY_DAY:]):
            item.add_marker(pytest.mark.slow)


def _domain_of(item: pytest.Item) -> str:
    """The domain among the parameters of a case; empty where there is none."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return next((value for value in given if isinstance(value, str) and value in CATALOG.names), "")


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
