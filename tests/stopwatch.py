"""What test functions take: processor seconds of a case, in this process and in those that it started."""

from __future__ import annotations

import resource
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.effort import SECONDS, SECONDS_BY_DAY, function_of, measured

FINEST = 0.001  # of a case
LEAST = SECONDS_BY_DAY / 2  # of a function in all: what takes less is not worth a line


class Stopwatch:
    """A plugin of pytest that measures tests in its process, and writes down those that take long.

    What fixtures for more than one test take is nobody's.
    """

    def __init__(self, file: Path = SECONDS) -> None:
        """Begin with nothing measured; what is will stand in ``file``."""
        self.file = file
        self.cases: dict[str, list[float]] = defaultdict(list)
        self.shared = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        """Take the time of fixtures for more than one test apart; one may ask for another."""
        if fixturedef.scope == "function":
            return (yield)
        start, within = processor_seconds(), self.shared
        try:
            return (yield)
        finally:
            self.shared = within + processor_seconds() - start

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Measure a test with the fixtures made for it alone."""
        start, self.shared = processor_seconds(), 0.0
        try:
            return (yield)
        finally:
            self.cases[function_of(item)].append(processor_seconds() - start - self.shared)

    def pytest_sessionfinish(self) -> None:
        """Write down what a case of each function takes, where all its cases take long together.

        Functions that were not run keep their lines.
        """
        dear = {name: each for name, each in measured(self.file).items() if name not in self.cases}
        dear |= {name: sum(each) / len(each) for name, each in self.cases.items() if sum(each) >= LEAST}
        dear = {name: seconds for name, seconds in dear.items() if seconds >= FINEST}
        self.file.write_text("".join(f"{dear[name]:.3f} {name}\n" for name in sorted(dear)))


def processor_seconds() -> float:
    """Those of this process and of the ended ones that it started."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + others.ru_utime + others.ru_stime
