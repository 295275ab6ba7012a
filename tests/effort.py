"""How many examples and domains a test covers.

Numbers in the tests are those of the thorough run (`make test-all`). In `make test` a test covers two
domains; its cases on other domains, and on some tables whose fresh items are costly, carry the marker
``slow``, and so do cases after the number of ``by_day``. Functions that take more than about a third of
a second of processor time carry it in their file if a quicker test covers the same idea.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import pytest
from hypothesis import settings

from tests.every_domain import CATALOG

DOMAINS_BY_DAY = 2
FIRST = ("ferry", "logistics", "blocksworld")
COSTLY = frozenset(
    f"acp_{kind}_{form}" for kind in ("areach", "just", "land", "reach") for form in ("bool", "mcq")
) | {"acp_areach_gen", "plan_solvability"}
slow, by_day = pytest.mark.slow, pytest.mark.by_day
WHOLE = 100  # what a profile that scales nothing names as its number of examples


def some(number: int) -> int:
    """Return ``number`` in the thorough run and a fifth of it in others."""
    return _scaled(number, 5)


def examples(number: int) -> settings:
    """Return settings of hypothesis with ``number`` examples in the thorough run, and a tenth in others."""
    return settings(max_examples=_scaled(number, 10))


def _scaled(number: int, part: int) -> int:
    """Return ``number``, scaled by the profile of hypothesis; its part in the usual profile."""
    most = settings.default.max_examples
    return number * most // WHOLE if most >= WHOLE else max(1, number // part)


def sample(values: Iterable[Any], keep: int) -> list[Any]:
    """Return parameters of which the first ``keep`` always run, and the others in the thorough run only."""
    parameters = list(values)
    return [
        *parameters[:keep],
        *(pytest.param(value, marks=pytest.mark.exhaustive) for value in parameters[keep:]),
    ]


def two_domains_by_day(items: Iterable[pytest.Item]) -> None:
    """Mark as slow the cases of each test function on all domains but two.

    A new domain therefore does not slow `make test`, and no test has to limit its domains.
    """
    by_function: dict[str, dict[str, list[pytest.Item]]] = {}
    for item in items:
        if not any(map(item.get_closest_marker, ("slow", "exhaustive"))) and (name := _domain_of(item)):
            by_function.setdefault(_function_of(item), {}).setdefault(name, []).append(item)
    for by_domain in by_function.values():
        # Domains that take little time first, with and without types; then in the order of the test.
        ordered = sorted(by_domain, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
        for item in chain.from_iterable(by_domain[name] for name in ordered[DOMAINS_BY_DAY:]):
            item.add_marker(pytest.mark.slow)


def quick_tables_by_day(items: Iterable[pytest.Item]) -> None:
    """Mark as slow the cases on tables whose fresh items take about a second each."""
    for item in items:
        if "fresh" in {name for mark in item.iter_markers("xdist_group") for name in mark.args}:
            values = item.callspec.params.values() if hasattr(item, "callspec") else ()
            if any(isinstance(value, str) and value in COSTLY for value in values):
                item.add_marker(pytest.mark.slow)


def first_cases_by_day(items: Iterable[pytest.Item]) -> None:
    """Mark as slow the cases of a function after as many as its marker ``by_day`` names."""
    cases = Counter[str]()
    for item in items:
        if (mark := item.get_closest_marker("by_day")) and not item.get_closest_marker("slow"):
            cases[_function_of(item)] += 1
            if cases[_function_of(item)] > mark.args[0]:
                item.add_marker(pytest.mark.slow)


def _function_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0].partition("@")[0]


def _domain_of(item: pytest.Item) -> str:
    """Return the domain among the parameters of a case, or an empty string."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return next((value for value in values if isinstance(value, str) and value in CATALOG.names), "")


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
