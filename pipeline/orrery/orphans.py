"""What a process started ends with it, however it ends: a small guard kills what is left behind.

A process that is killed cannot tidy up. So a shell waits at the end of a pipe that nobody else holds: when
our end closes, for whatever reason, it kills what we said that we started, and removes our working folder.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

# Reads "+ N" and "- N", N the number of a process, or that of a group with a minus before it.
_SCRIPT = """
watched=
while read -r sign number; do
  case $sign in
    +) watched="$watched $number" ;;
    -) left=
       for each in $watched; do [ "$each" = "$number" ] || left="$left $each"; done
       watched=$left ;;
  esac
done
[ -z "$watched" ] || kill -9 $watched 2>/dev/null
rm -rf "$0"
"""
_SHELL = Path("/bin/sh")
_FOLDER = "orrery-"
_MARK = re.compile(r"(?P<machine>[0-9a-f]{6})\.(?P<number>\d+)")
# What a process of another machine left on shared storage is believed to be at work for so long.
_ELSEWHERE_SECONDS = 24 * 3600.0


class Guard:
    """The guard of this process; get it with ``guard``.

    ``folder`` is a new folder for temporary files, which goes with the process.
    """

    def __init__(self) -> None:
        """Start the shell, in a session of its own: what ends our group does not end it.

        Folders go that processes left whose shell was killed with them.
        """
        _sweep(Path(tempfile.gettempdir()))
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{mark()}-"))
        self._shell = (
            subprocess.Popen(
                [_SHELL, "-c", _SCRIPT, self.folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
            if os.name == "posix" and _SHELL.exists()
            else None
        )

    @contextmanager
    def watching(self, number: int, *, group: bool = False) -> Iterator[None]:
        """Have a process, or the group that it leads, killed if this one ends within the block."""
        named = f"-{number}" if group else str(number)
        self.watch(named)
        try:
            yield
        finally:
            self.forget(named)

    def watch(self, named: str) -> None:
        """Have what is named killed if this process ends from now on."""
        self._say(f"+ {named}\n")

    def forget(self, named: str) -> None:
        """Leave alone what is named; call it before its number may belong to another."""
        self._say(f"- {named}\n")

    def leave(self) -> None:
        """Have this process, which the guarded one forked, killed with that, and close its end of the pipe.

        As long as it is open the shell waits: nothing is missed if the guarded process ends meanwhile.
        """
        self.watch(str(os.getpid()))
        if self._shell is not None and self._shell.stdin is not None:
            self._shell.stdin.close()

    def _say(self, line: str) -> None:
        if self._shell is None or self._shell.stdin is None or self._shell.stdin.closed:
            return
        with suppress(OSError):  # somebody killed the guard: limits on processor time are left
            os.write(self._shell.stdin.fileno(), line.encode())


def mark() -> str:
    """Return what tells this process from others on this machine and on those that share its files."""
    return f"{_machine()}.{os.getpid()}"


def is_over(path: Path, marked: str) -> bool:
    """Return whether the process has ended that left ``path``, of which ``marked`` is the mark.

    Of one on another machine that is known only by the age of what it left. What is no mark is of nobody.
    """
    found = _MARK.fullmatch(marked)
    if found is None:
        return True
    if found["machine"] != _machine():
        try:
            return time.time() - path.stat().st_mtime > _ELSEWHERE_SECONDS
        except FileNotFoundError:
            return False
    try:
        os.kill(int(found["number"]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def guard() -> Guard:
    """Return the guard of this process, started when it is first asked for."""
    return _guard_of(os.getpid())


@lru_cache(maxsize=2)
def _guard_of(process: int) -> Guard:
    """Return the guard of a process: one that was forked needs its own."""
    return Guard()


@lru_cache(maxsize=1)
def _machine() -> str:
    """Return six digits for this machine, or this container: its numbers of processes are its own."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:6]


def _sweep(folder: Path) -> None:
    """Remove the folders that our processes left behind in a folder for temporary files."""
    for left in folder.glob(f"{_FOLDER}*.*-*"):
        marked = left.name.removeprefix(_FOLDER).rpartition("-")[0]
        if _MARK.fullmatch(marked) and is_over(left, marked):
            with suppress(OSError):  # that of another user, or removed by another process just now
                shutil.rmtree(left)
