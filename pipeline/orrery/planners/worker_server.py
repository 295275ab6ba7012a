"""Programs in Python that stay: loading a library takes longer than most of what it is asked.

A worker is a file with a function ``prepared`` (see ``serving``, which runs it). It forks for every request,
once it has loaded, so that each has its own limits and leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from orrery.orphans import guard
from orrery.planners.process import Ended, fuse_of, hung, text_of

SERVING = Path(__file__).with_name("serving.py")
LOADING = 600.0  # seconds by the clock
_ONE_AT_A_TIME = threading.Lock()  # threads that ask a worker first would each make a server


def can_serve() -> bool:
    """Return whether this system can fork, and limit what is forked."""
    return hasattr(os, "fork") and hasattr(os, "wait4") and sys.platform != "darwin"


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker's file, the arguments of its ``prepared``, and the Python to run it."""

    file: Path
    arguments: tuple[str, ...] = ()
    python: str = sys.executable

    def asked(
        self, request: Mapping[str, Any], seconds: float, megabytes: int, keep: Sequence[str] = ()
    ) -> Ended:
        """Return how the worker's process for a request ended, with what it printed.

        Args:
            request: what the worker reads.
            seconds: limit on its processor time, and on that of each process it starts.
            megabytes: limit on the address space of each.
            keep: names of files to read from its working folder at the end.

        Raises:
            Hung: it took far longer by the clock.
        """
        with _ONE_AT_A_TIME:
            server = _server_of(os.getpid(), self)
        return server.ask(request, seconds, megabytes, keep)


class _Server:
    """The process of one of ours; started when it is first asked, and again where it died."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self._turn = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def ask(
        self, request: Mapping[str, Any], seconds: float, megabytes: int, keep: Sequence[str] = ()
    ) -> Ended:
        """Ask, wait and read what was left in the folder of the request."""
        with tempfile.TemporaryDirectory(prefix="run-", dir=guard().folder) as name:
            folder = Path(name)
            line = json.dumps({**request, "limit": seconds, "megabytes": megabytes, "folder": name})
            with self._turn:
                reply = self._reply(line, LOADING + fuse_of(seconds))
                # Within the turn: in the next one the process may be another's.
                died = self._end() if reply is None else 0
            errors = text_of(folder / "errors") or ""
            if reply is None:
                return Ended(died, "", errors or f"the process of {self.worker.file.name} ended")
            code = reply["code"]
            files = {each: text for each in keep if (text := text_of(folder / each)) is not None}
            output = text_of(folder / "output") or ""
            return Ended(code, output, errors, code == -signal.SIGXCPU, files, reply["seconds"])

    def _reply(self, line: str, fuse: float) -> dict[str, Any] | None:
        """Return what the process says of a request; None where it died."""
        process = self._running()
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process has no pipes")
        with suppress(OSError):
            process.stdin.write(line + "\n")
            process.stdin.flush()
        if not select.select([process.stdout], [], [], fuse)[0]:
            self._end()
            raise hung(self.worker.file, fuse)
        said = process.stdout.readline()
        return json.loads(said) if said.endswith("\n") else None

    def _running(self) -> subprocess.Popen[str]:
        """Return the process, started anew where there is none."""
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            self._process = subprocess.Popen(
                # -P keeps its folder out of its import path, where our names would shadow others'.
                [self.worker.python, "-P", SERVING, self.worker.file, *self.worker.arguments],
                cwd=guard().folder,
                # Some libraries print sets in their messages, which must not change from run to run.
                env={**os.environ, "LC_ALL": "C", "PYTHONHASHSEED": "0"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                process_group=0,
            )
            guard().watch(f"-{self._process.pid}")
        return self._process

    def _end(self) -> int:
        """Kill the process with all that it started, and return its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        guard().forget(f"-{process.pid}")
        return process.wait()


@lru_cache(maxsize=16)
def _server_of(process: int, worker: Worker) -> _Server:
    """Return the server of a worker for a process of ours: one that was forked needs its own."""
    return _Server(worker)
