"""A command that serves until it is interrupted, for the length of a block."""

import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import partial

COMMAND = (sys.executable, "-c", "from orrery.cli.main import app; app()")


@contextmanager
def serving(folder, *given):
    """The process, which Ctrl-C reaches even where what runs the tests ignores it; it ends with the block."""
    with subprocess.Popen(
        [*COMMAND, *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as server:
        try:
            yield server
        finally:
            server.kill()
