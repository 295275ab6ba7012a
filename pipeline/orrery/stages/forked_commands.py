"""Commands of ours as forks of a process that has imported what they run.

To start Python and to import a stage takes a second and more, and a build starts nine of them one after
another. ``fork_server`` is the program that is forked; here it is started and asked.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from orrery.orphans import guard

SERVER = "orrery.stages.fork_server"
READY, START = b"r", b"+"
# A process with one thread can be forked: Arrow's allocator has one that tidies up, OpenBLAS one a core.
ONE_THREAD = {"JE_ARROW_MALLOC_CONF": "background_thread:false", "OPENBLAS_NUM_THREADS": "1"}
# One command of ours, without anything that a shell would do; where processes can be waited for as files are.
PLAIN = re.compile(r"orrery(?: [\w./=-]+)+")
SAFE = sys.platform == "linux"


@dataclass(frozen=True)
class ForkedCommand:
    """A command that runs, in a group of processes of its own; how it ends comes as a line of ``told``."""

    pid: int
    told: IO[bytes]

    def wait(self) -> int:
        """Return how it ended: its exit code, or the number of a signal with a minus before it.

        If the server has died, which alone knows how it ends, it is killed.
        """
        with self.told:
            if line := self.told.readline():
                return int(line)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        return -signal.SIGKILL


class ForkServer:
    """Has commands started, once the server has imported what they need."""

    def __init__(self) -> None:
        """Start the server, in a group of its own: the terminal's interrupt is for this process."""
        self._socket, theirs = socket.socketpair()
        self._ready = False
        with theirs:
            # Without -P the working folder would be the first place to import from.
            command = [sys.executable, "-P", "-m", SERVER, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                process_group=0,
                stdin=subprocess.DEVNULL,
                env=os.environ | ONE_THREAD,
            )
        guard().watch(str(self._process.pid))

    def is_ready(self) -> bool:
        """Return whether it would start a command at once; before that, Python is quicker."""
        if not self._ready and select.select([self._socket], [], [], 0)[0]:
            self._ready = self._socket.recv(len(READY)) == READY
        return self._ready and self._process.poll() is None

    def start(self, command: str, output: int | None, cwd: Path, env: Mapping[str, str]) -> ForkedCommand:
        """Start a command; where ``output`` is given, what it says goes to that file.

        Args:
            command: one that ``runs`` says it can run.
            output: the number of an open file.
            cwd: the folder in which it works.
            env: its variables.

        Raises:
            OSError: the server ended.
        """
        streams = [output, output] if output is not None else [1, 2]
        told, telling = os.pipe()
        with tempfile.TemporaryFile() as request:
            asked = {"words": shlex.split(command), "cwd": str(cwd), "env": dict(env)}
            request.write(json.dumps(asked).encode())
            request.flush()
            try:
                socket.send_fds(self._socket, [START], [request.fileno(), *streams, telling])
            except OSError:
                os.close(told)
                raise
            finally:
                os.close(telling)
        file = os.fdopen(told, "rb")
        if not (line := file.readline()):
            file.close()
            raise OSError("the server of forks ended")
        return ForkedCommand(int(line), file)

    def close(self) -> None:
        """End the server, whose forks have ended."""
        self._socket.close()
        self._process.kill()
        self._process.wait()
        guard().forget(str(self._process.pid))


def runs(command: str) -> bool:
    """Return whether a fork can run a command as a shell would."""
    return SAFE and PLAIN.fullmatch(command) is not None
