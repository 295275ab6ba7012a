"""Commands of ours as forks of a process that has imported what they run.

To start Python and to import a stage takes a second and more, and a build starts nine of them one after
another. The server is that of the standard library, and ends with this process.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
import runpy
import shlex
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

from orrery.orphans import guard

PRELOADED = "orrery.stages.preloaded"
# One command of ours, without anything that a shell would do; where forks are known to be safe.
PLAIN = re.compile(r"orrery(?: [\w./=-]+)+")
SAFE = sys.platform == "linux"


@dataclass(frozen=True)
class ForkedCommand:
    """A command that runs, in a group of processes of its own."""

    pid: int
    process: ForkServerProcess

    def wait(self) -> int:
        """Return how it ended: its exit code, or the number of a signal with a minus before it."""
        self.process.join()
        code = self.process.exitcode
        return 1 if code is None else code


class ForkServer:
    """Starts commands, once the server has imported what they need."""

    def __init__(self) -> None:
        """Have the server begin to import."""
        self._context: ForkServerContext = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([PRELOADED])
        forkserver.ensure_running()
        if (number := _number()) is not None:
            guard().watch(str(number))
        self._ready = threading.Event()
        threading.Thread(target=self._try, daemon=True).start()

    def is_ready(self) -> bool:
        """Return whether it would start a command at once; before that, Python is quicker."""
        return self._ready.is_set()

    def _try(self) -> None:
        """Start a process that does nothing, which succeeds when all is imported."""
        with suppress(OSError, EOFError):  # the server ended
            self._context.Process(target=int).start()
            self._ready.set()

    def start(self, command: str, output: int | None, cwd: Path, env: Mapping[str, str]) -> ForkedCommand:
        """Start a command; where ``output`` is given, what it says goes to that file.

        Args:
            command: one that ``runs`` says it can run.
            output: the number of an open file.
            cwd: the folder in which it works.
            env: its variables.

        Raises:
            OSError, EOFError: the server ended.
        """
        leads, told = self._context.Pipe(duplex=False)
        sent = None if output is None else DupFd(output)
        process = self._context.Process(target=_run, args=(command, sent, str(cwd), dict(env), told))
        process.start()
        told.close()
        with leads, suppress(EOFError):  # it ended at once, how tells ``wait``
            leads.recv()
        assert process.pid is not None
        return ForkedCommand(process.pid, process)


def _number() -> int | None:
    """Return the number of the server's process.

    While it imports, it does not see that we have ended. The library keeps the number to itself; without it
    the server ends some seconds later.
    """
    number: int | None = getattr(getattr(forkserver, "_forkserver", None), "_forkserver_pid", None)
    return number


def runs(command: str) -> bool:
    """Return whether a fork can run a command as a shell would."""
    return SAFE and PLAIN.fullmatch(command) is not None


def _run(command: str, output: Any, cwd: str, env: Mapping[str, str], told: Connection) -> None:
    """Run a command in this process, which has just been forked."""
    os.setpgid(0, 0)
    told.send(True)
    told.close()
    if output is not None:
        file = output.detach()
        for stream in (sys.stdout, sys.stderr):
            os.dup2(file, stream.fileno())
        os.close(file)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = shlex.split(command)
    gc.freeze()  # what was imported stays: there is nothing to look for in it
    runpy.run_module("orrery", run_name="__main__")
