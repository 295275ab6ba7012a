"""Run a program under limits: its own process group, its own working folder, nothing left behind.

The time limit is processor time, so that results do not depend on the load of the machine. A second limit on
elapsed time, far above, ends the whole work: a program that hangs gives no result.
"""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from orrery.model import OrreryError

try:
    import resource
except ImportError:  # Windows has no such limits; the limit of elapsed time still applies there
    resource = None  # type: ignore[assignment]

_GROUPS = os.name == "posix"
_MEGABYTE = 2**20
_WORK, _INPUT, _OUTPUT, _ERRORS = "work", "input", "output", "errors"
# Elapsed time may be this many times the limit, plus these seconds. A machine on which a program
# gets less than a thirtieth of a core is not suitable.
FUSE_FACTOR, FUSE_SECONDS = 30.0, 60.0


class Hung(OrreryError):
    """A program whose elapsed time is far above its limit of processor time."""


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """The end of a program's run.

    ``code`` is its exit code, negative for the signal that killed it; ``files`` contains the text of the
    requested files that exist. If ``timed_out``, its processor time was used up, and the rest
    is only its progress. ``seconds`` is its processor time, including the child processes
    that it waited for.
    """

    code: int
    output: str
    errors: str
    timed_out: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def run(
    command: Sequence[str | Path],
    *,
    feed: str,
    seconds: float,
    megabytes: int,
    keep: Sequence[str] = (),
) -> ProcessResult:
    """Run ``command`` on the standard input ``feed`` in a new empty folder, which is removed afterwards.

    Remaining child processes end with the program. If this process is killed, a worker's watch ends the
    program (``workers``), or otherwise its limit of processor time.

    Args:
        command: the program and its arguments; no shell is used.
        feed: text for its standard input.
        seconds: processor time of each process of the group, in whole seconds, rounded up.
        megabytes: limit on the address space of each process of the group.
        keep: names of files to read from the working folder at the end.

    Raises:
        OSError: the program cannot be started.
        Hung: its elapsed time exceeds ``FUSE_FACTOR`` times its limit plus ``FUSE_SECONDS``.
    """
    fuse = FUSE_FACTOR * seconds + FUSE_SECONDS
    with tempfile.TemporaryDirectory(prefix="orrery-run-") as folder:
        inside, work = Path(folder), Path(folder, _WORK)
        work.mkdir()
        (inside / _INPUT).write_text(feed, encoding="utf-8", errors="replace")
        with (
            (inside / _INPUT).open("rb") as standard_input,
            (inside / _OUTPUT).open("wb") as output,
            (inside / _ERRORS).open("wb") as errors,
        ):
            child = _started(command, work, standard_input, output, errors)
        try:
            _limit(child.pid, seconds, megabytes)
            ended = _has_ended(child, fuse)
        finally:
            _kill_group(child)
            code, used = _reaped(child)
        if not ended:
            raise Hung(
                Path(command[0]).name,
                f"has not ended in {fuse:.0f} s by the clock, though its processor time is not spent",
                "see what keeps it waiting, and run the command again",
            )
        files = {name: text for name in keep if (text := _text_of(work / name)) is not None}
        timed_out = code == -getattr(signal, "SIGXCPU", 0)
        output_text, error_text = _text_of(inside / _OUTPUT) or "", _text_of(inside / _ERRORS) or ""
        return ProcessResult(code, output_text, error_text, timed_out, files, used)


def _started(
    command: Sequence[str | Path],
    folder: Path,
    standard_input: IO[bytes],
    output: IO[bytes],
    errors: IO[bytes],
) -> subprocess.Popen[bytes]:
    """Start the program with files for input and output, as remaining processes might keep a pipe open."""
    return subprocess.Popen(
        [str(part) for part in command],
        cwd=folder,
        # Some programs in Python print sets in their messages, which must be reproducible.
        env={**os.environ, "TMPDIR": str(folder), "LC_ALL": "C", "PYTHONHASHSEED": "0"},
        stdin=standard_input,
        stdout=output,
        stderr=errors,
        # Not preexec_fn, which is unsafe with threads and forks the whole parent.
        process_group=0 if _GROUPS else None,
    )


def _limit(pid: int, seconds: float, megabytes: int) -> None:
    """Limit a process that has just started; its child processes inherit the limits.

    Lower existing limits are kept.
    """
    if resource is None or not hasattr(resource, "prlimit"):
        return  # only Linux can limit another process
    memory, time = megabytes * _MEGABYTE, math.ceil(seconds)
    with suppress(ProcessLookupError):
        _lower(pid, resource.RLIMIT_AS, memory, memory)
        _lower(pid, resource.RLIMIT_CPU, time, time + 1)


def _lower(pid: int, kind: int, soft: int, hard: int) -> None:
    """Set limits of a process, none of them above its existing ones."""
    born = [math.inf if limit == resource.RLIM_INFINITY else limit for limit in resource.prlimit(pid, kind)]
    resource.prlimit(pid, kind, (int(min(soft, *born)), int(min(hard, born[1]))))


def _has_ended(child: subprocess.Popen[bytes], fuse: float) -> bool:
    """Wait until the program ends or exceeds its elapsed time; return whether it ended."""
    if not hasattr(os, "pidfd_open"):
        with suppress(subprocess.TimeoutExpired):
            child.wait(fuse)
        return child.returncode is not None
    handle = os.pidfd_open(child.pid)
    try:
        return bool(select.select([handle], [], [], fuse)[0])
    finally:
        os.close(handle)


def _reaped(child: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Return the exit code of an ended program, and its processor time."""
    if child.returncode is not None or not hasattr(os, "wait4"):
        return child.wait(), 0.0
    # Not child.wait(), which discards the processor time.
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime


def _text_of(path: Path) -> str | None:
    """Return the text of a file, or None if it does not exist."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill the remaining processes of the group; the child itself may have ended."""
    if _GROUPS:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    elif child.poll() is None:
        child.kill()
