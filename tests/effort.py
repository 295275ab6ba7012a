"""How far a test looks: the numbers written in the tests are those of the thorough run (`make test-all`).

By day (`make test`) a test function goes over two domains, and over as many cases as fit into less than half
a second of the processor: ``seconds.txt`` says what a case takes. The others are slow (`make test-slow`). No
module of which anything may run by day is left out.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.every_domain import CATALOG

DOMAINS_BY_DAY = 2
SECONDS_BY_DAY = 0.4
SECONDS = Path(__file__).with_name("seconds.txt")  # written by `make test-seconds`
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


def two_domains_by_day(items: Iterable[pytest.Item]) -> None:
    """Mark cases as slow: of each test function that goes over domains, those of all domains but two.

    In this place alone a test over all domains is cut short, so that none has to think of it.
    """
    found: dict[str, dict[str, list[pytest.Item]]] = {}
    for item in filter(_is_quick, items):
        if name := _domain_of(item):
            found.setdefault(function_of(item), {}).setdefault(name, []).append(item)
    for by_domain in found.values():
        # Those first that take little time, with types or without; then as the test names them.
        ordered = sorted(by_domain, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
        for item in chain.from_iterable(by_domain[name] for name in ordered[DOMAINS_BY_DAY:]):
            item.add_marker(pytest.mark.slow)


def little_time_by_day(items: Iterable[pytest.Item], seconds: Mapping[str, float]) -> None:
    """Mark cases as slow: those of each test function that do not fit into its time by day.

    ``seconds`` are those of a case, by function; one that is not named takes next to nothing. A module of
    which nothing would be left keeps a case of its quickest function.
    """
    found: dict[str, dict[str, list[pytest.Item]]] = {}
    for item in filter(_is_quick, items):
        found.setdefault(file_of(item), {}).setdefault(function_of(item), []).append(item)
    for functions in found.values():
        kept = {name: _fitting(cases, seconds.get(name, 0.0)) for name, cases in functions.items()}
        if not any(kept.values()):
            quickest = min(functions, key=lambda name: seconds[name])
            kept[quickest] = functions[quickest][:1]
        for name, cases in functions.items():
            for item in cases:
                if item not in kept[name]:
                    item.add_marker(pytest.mark.slow)


def _fitting(cases: list[pytest.Item], seconds: float) -> list[pytest.Item]:
    """As many of the cases as fit, from all over the list; all where the time of one is not known."""
    number = min(len(cases), int(SECONDS_BY_DAY / seconds)) if seconds else len(cases)
    return [cases[place * len(cases) // number] for place in range(number)]


def new_files_first(items: list[pytest.Item]) -> None:
    """Sort the items in place: files first of which nothing is quick, since time may end a run of slow tests.

    Among those, and among the others, files with few cases come first, so that many have their turn.
    """
    slow = [item for item in items if not _is_quick(item)]
    quick = {file_of(item) for item in filter(_is_quick, items)}
    cases = Counter(map(file_of, slow))
    items.sort(key=lambda item: (file_of(item) in quick, cases[file_of(item)]))


def file_of(item: pytest.Item) -> str:
    """The path of the file of the test."""
    return item.nodeid.partition("::")[0]


def function_of(item: pytest.Item) -> str:
    """The path and name of the test function, whatever its parameters and the group in which it runs."""
    return item.nodeid.partition("[")[0].partition("@")[0]


def measured(file: Path = SECONDS) -> dict[str, float]:
    """The processor seconds that a case of a test function takes, where all its cases take long together."""
    lines = (line.split(maxsplit=1) for line in file.read_text().splitlines())
    return {name: float(seconds) for seconds, name in lines}


def _is_quick(item: pytest.Item) -> bool:
    return not any(map(item.get_closest_marker, ("slow", "exhaustive")))


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
