"""Running a program under limits: its own process group, its own working folder, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

try:
    import resource
except ImportError:  # Windows has no such limits; time still holds there
    resource = None  # type: ignore[assignment]

_MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a program's run.

    ``code`` is its exit code, negative for the signal that killed it; ``files`` holds the text of those
    of the files asked for that it left. Where ``timed_out``, the group was killed and the rest shows
    only how far it had come.
    """

    code: int
    output: str
    errors: str
    timed_out: bool = False
    files: Mapping[str, str] = field(default_factory=dict)


def run(
    command: Sequence[str | Path],
    *,
    feed: str,
    seconds: float,
    megabytes: int,
    keep: Sequence[str] = (),
) -> Ended:
    """Run ``command`` on the standard input ``feed`` in a new empty folder, which is removed afterwards.

    Args:
        command: the program and its arguments; not seen by any shell.
        feed: text for its standard input.
        seconds: wall-clock limit for the whole process group. Processor time is limited a little above
            it, so that no process outlives us for long even if we are killed.
        megabytes: limit on the address space of each process of the group.
        keep: names of files to read from the working folder at the end.

    Raises:
        OSError: the program cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="orrery-") as folder:
        with _started(command, folder) as child:
            try:
                _limit(child.pid, seconds, megabytes)
                output, errors = child.communicate(feed, timeout=seconds)
                timed_out = False
            except subprocess.TimeoutExpired:
                _kill_group(child)
                output, errors = child.communicate()
                timed_out = True
            finally:
                _kill_group(child)
        paths = [path for name in keep if (path := Path(folder, name)).is_file()]
        files = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in paths}
        return Ended(child.returncode, output, errors, timed_out, files)


def _started(command: Sequence[str | Path], folder: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, "TMPDIR": folder, "LC_ALL": "C"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        # Not preexec_fn, which is unsafe with threads and forks the whole parent.
        process_group=0 if os.name == "posix" else None,
    )


def _limit(pid: int, seconds: float, megabytes: int) -> None:
    """Limit a process that has just started; processes it starts inherit the limits.

    It has not read its standard input yet, so it has not begun to work.
    """
    if resource is None or not hasattr(resource, "prlimit"):
        return  # only Linux can limit another process
    memory, time = megabytes * _MEGABYTE, int(seconds) + 2
    with suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))
        resource.prlimit(pid, resource.RLIMIT_CPU, (time, time + 1))


def _kill_group(child: subprocess.Popen[str]) -> None:
    """Kill whatever is left of the group; the child itself may have ended and left others."""
    if os.name == "posix":
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    elif child.poll() is None:
        child.kill()
