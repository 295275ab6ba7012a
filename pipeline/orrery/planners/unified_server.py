"""unified-planning as a process that stays: loading it takes longer than most of what it is asked.

It forks for every request, once it has loaded, so that each has its own limits and leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from orrery.orphans import guard
from orrery.planners.process import Ended, fuse_of, hung, text_of

WORKER = Path(__file__).with_name("unified_worker.py")
LOADING = 600.0  # seconds by the clock


def can_serve() -> bool:
    """Return whether this system can fork, and limit what is forked."""
    return hasattr(os, "fork") and hasattr(os, "wait4") and sys.platform != "darwin"


def asked(request: Mapping[str, Any], seconds: float, megabytes: int) -> Ended:
    """Return how the worker's process for a request ended; its answer is the output.

    Args:
        request: what ``unified_worker`` reads.
        seconds: limit on its processor time, and on that of each process it starts.
        megabytes: limit on the address space of each.

    Raises:
        Hung: it took far longer by the clock.
    """
    return _server_of(os.getpid()).ask(request, seconds, megabytes)


class _Server:
    """The process of one of ours; started when it is first asked, and again where it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, request: Mapping[str, Any], seconds: float, megabytes: int) -> Ended:
        """Ask, wait and read what was left in the folder of the request."""
        with tempfile.TemporaryDirectory(prefix="run-", dir=guard().folder) as name:
            folder = Path(name)
            line = json.dumps({**request, "limit": seconds, "megabytes": megabytes, "folder": name})
            reply = self._reply(line, LOADING + fuse_of(seconds))
            errors = text_of(folder / "errors") or ""
            if reply is None:
                return Ended(self._end(), "", errors or "the process of unified-planning ended")
            code = reply["code"]
            spent = code == -signal.SIGXCPU
            return Ended(code, text_of(folder / "answer") or "", errors, spent, {}, reply["seconds"])

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
            raise hung(WORKER.name, fuse)
        said = process.stdout.readline()
        return json.loads(said) if said.endswith("\n") else None

    def _running(self) -> subprocess.Popen[str]:
        """Return the process, started anew where there is none."""
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            self._process = subprocess.Popen(
                # -P keeps its folder out of its import path, where our names would shadow others'.
                [sys.executable, "-P", WORKER, "--serve"],
                cwd=guard().folder,
                env={**os.environ, "LC_ALL": "C"},
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


@lru_cache(maxsize=2)
def _server_of(process: int) -> _Server:
    """Return the server of a process of ours: one that was forked needs its own."""
    return _Server()
