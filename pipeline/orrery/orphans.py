"""What a process started ends with it, however it ends: a small guard kills what is left behind.

A process that is killed cannot tidy up. So a shell waits at the end of a pipe that nobody else holds: when
our end closes, for whatever reason, it kills what we said that we started, and removes our working folder.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
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


class Guard:
    """The guard of this process; get it with ``guard``.

    ``folder`` is a new folder for temporary files, which goes with the process.
    """

    def __init__(self) -> None:
        """Start the shell, in a session of its own: what ends our group does not end it."""
        self.folder = Path(tempfile.mkdtemp(prefix="orrery-"))
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

    def _say(self, line: str) -> None:
        if self._shell is None or self._shell.stdin is None:
            return
        with suppress(OSError):  # somebody killed the guard: limits on processor time are left
            os.write(self._shell.stdin.fileno(), line.encode())


def guard() -> Guard:
    """Return the guard of this process, started when it is first asked for."""
    return _guard_of(os.getpid())


@lru_cache(maxsize=2)
def _guard_of(process: int) -> Guard:
    """Return the guard of a process: one that was forked needs its own."""
    return Guard()
