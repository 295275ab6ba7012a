"""Workers as forks of this process; only for systems that have forks."""

from __future__ import annotations

from multiprocessing.context import ForkContext, ForkProcess
from multiprocessing.process import BaseProcess
from typing import Any


class Forking(ForkContext):
    """Forks processes, which tell the guard of this one themselves that they are there; remembers them."""

    def __init__(self) -> None:
        """Remember none as yet."""
        super().__init__()
        self.started: list[BaseProcess] = []

    def Process(self, *arguments: Any, **named: Any) -> ForkProcess:  # type: ignore[override]
        """Return a new process, not started yet."""
        process = ForkProcess(*arguments, **named)
        self.started.append(process)
        return process
