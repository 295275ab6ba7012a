"""A program that imports what the stages of a build import, and then is forked to run them.

``python -P -m orrery.stages.fork_server N``: N is the number of a socket. On it comes, for each command, a
byte with four open files: the request as JSON, two for what the command says, and one to which goes the
number of the process, and then how it ended, a line each. It has one thread, and ends with the socket.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

from orrery.stages.forked_commands import READY, START

STAGES = (
    "generate", "solve", "render", "ask", "pose", "corpus", "describe", "assemble", "validate", "publish",
    "over_domains",
)  # fmt: skip
# What is imported only where a stage needs it, as most builds do.
OTHERS = (
    "duckdb", "jinja2", "orrery.cli.main", "pyarrow.acero", "pyarrow.parquet", "rustworkx",
    "sklearn.feature_extraction.text", "sklearn.linear_model", "unified_planning.shortcuts", "vl_convert",
)  # fmt: skip
FILES = 4  # that come with a request


class Request(NamedTuple):
    """A command that is to run: words, folder and variables, and the files that came with it."""

    asked: dict[str, Any]
    output: int
    errors: int
    telling: int


class Running(NamedTuple):
    """A command that runs: its process, and where to tell how it ended."""

    process: int
    telling: int


def load() -> None:
    """Import everything, and load compiled loops."""
    from orrery.checks import family_checks
    from orrery.families.questions.kinds import question_kinds

    for name in (*(f"orrery.stages.{stage}" for stage in STAGES), *OTHERS):
        import_module(name)
    family_checks()
    question_kinds()


def serve(requests: socket.socket) -> Request | None:
    """Fork this process for each request, and tell how the forks end, until the socket closes.

    Returns:
        In a fork, its request; None in the server itself, whose forks have been killed then.
    """
    running: dict[int, Running] = {}
    with selectors.DefaultSelector() as events:
        events.register(requests, selectors.EVENT_READ)
        while True:
            for key, _ in events.select():
                if key.fileobj is not requests:
                    events.unregister(key.fd)
                    _ended(key.fd, running.pop(key.fd))
                elif (request := _received(requests)) is None:
                    _killed(running)
                    return None
                elif (process := os.fork()) == 0:
                    _close(request.telling, *running, *(each.telling for each in running.values()))
                    return request
                else:
                    _begun(process, request)
                    file = os.pidfd_open(process)
                    running[file] = Running(process, request.telling)
                    events.register(file, selectors.EVENT_READ)


def _received(requests: socket.socket) -> Request | None:
    """Return the next request; None where there will be none."""
    data, files, _, _ = socket.recv_fds(requests, len(START), FILES)
    if not data:
        return None
    with os.fdopen(files[0], "rb") as file:
        file.seek(0)
        return Request(json.load(file), *files[1:])


def _begun(process: int, request: Request) -> None:
    """Make a fork the leader of a group, and tell its number."""
    with suppress(ProcessLookupError):
        os.setpgid(process, process)
    _tell(request.telling, process)
    _close(request.output, request.errors)


def _ended(file: int, one: Running) -> None:
    """Tell how a fork ended."""
    _, status = os.waitpid(one.process, 0)
    _tell(one.telling, os.waitstatus_to_exitcode(status))
    _close(file, one.telling)


def _killed(running: dict[int, Running]) -> None:
    for one in running.values():
        with suppress(ProcessLookupError):
            os.killpg(one.process, signal.SIGKILL)


def _tell(telling: int, number: int) -> None:
    with suppress(BrokenPipeError):  # nobody asks any more
        os.write(telling, b"%d\n" % number)


def _close(*files: int) -> None:
    for file in files:
        os.close(file)


def run(request: Request) -> int:
    """Run a command in this process, which has just been forked; return its exit code."""
    with suppress(PermissionError):  # the server was quicker
        os.setpgid(0, 0)
    os.dup2(request.output, 1)
    os.dup2(request.errors, 2)
    _close(*{request.output, request.errors} - {1, 2})
    os.chdir(request.asked["cwd"])
    os.environ.clear()
    os.environ.update(request.asked["env"])
    sys.argv = list(request.asked["words"])
    gc.freeze()  # what was imported stays: there is nothing to look for in it
    try:
        runpy.run_module("orrery", run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main(number: int) -> None:
    """Import, say so, and serve; without all that is imported, or without pidfd, do nothing."""
    with socket.socket(fileno=number) as requests:
        try:
            os.close(os.pidfd_open(os.getpid()))
            load()
        except (ImportError, OSError):
            return
        with suppress(BrokenPipeError):
            requests.sendall(READY)
        request = serve(requests)
    if request is None:
        os._exit(0)  # there is nothing to tidy up
    code = 1
    try:
        code = run(request)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]))
