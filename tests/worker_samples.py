"""Functions that workers can import, for the tests of ``workers`` and ``parts``."""

from __future__ import annotations

import os
import platform
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path

from orrery.model import UsageError

WRITE = {"x86_64": "1", "aarch64": "64"}  # the system's number of the call


class Awkward(Exception):
    """An exception that pickle cannot rebuild."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def square(number):
    return number * number


def process_of(number):
    time.sleep(0.01)
    return number, os.getpid()


def counted(folder, number):
    """The number, after a short while; a file in ``folder`` shows that it was done."""
    time.sleep(0.01)
    (folder / str(number)).touch()
    return number


def slower_first(number):
    time.sleep(0.3 if number == 0 else 0.0)
    return number


def fail_at_seven(number):
    if number == 7:
        raise ZeroDivisionError("seven")
    return number


def fail_at_byte_seven(data):
    return fail_at_seven(data[0])


def refuse_seven(number):
    if number == 7:
        raise UsageError("here", "seven", "take eight")
    return number


def awkward(number):
    raise Awkward(number, number)


def unpicklable(number):
    return lambda: number


def killed_at_seven(number):
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def killed_once(folder, number):
    """Squares; the process that comes to number 7 first is killed."""
    flag = folder / "killed"
    if number == 7 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def exit_at_seven(number):
    if number == 7:
        sys.exit("seven")
    return number


def killed_once_with_a_long_result(folder, number):
    """A result of many megabytes, and once a kill while it is written, or later if that is not seen."""
    flag = folder / "killed"
    if number:
        time.sleep(2)
        return b""
    if flag.exists():
        return bytes(10**8)
    flag.touch()
    call = Path(f"/proc/self/task/{threading.get_native_id()}/syscall")

    def kill():
        end = time.monotonic() + 5
        while time.monotonic() < end:
            system_call, *arguments = call.read_text().split()  # file, place, length ...
            if system_call == WRITE.get(platform.machine()) and int(arguments[2], 16) > 10**6:
                break
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=kill).start()
    return bytes(10**8)


def long_result(number):
    return bytes([number]) * 10**6


def sleep_and_tell(path):
    """Name the processes of a worker and of a program that it has started, and wait."""
    import subprocess

    program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    Path(path).write_text(f"{os.getpid()} {program.pid}")
    time.sleep(60)


def rows_of(folder, numbers):
    """Two rows a number, noting in ``folder`` that they were made."""
    from orrery.problems.schemas import REJECTS
    from tests.store import samples

    with (folder / "made").open("a") as log:
        log.writelines(f"{number}\n" for number in numbers)
    time.sleep(0.02 * len(numbers))
    return {"rejects": [samples.row(REJECTS, item=f"{number}-{n}") for number in numbers for n in range(2)]}


def build(folder, workers, fingerprint="same", count=40, size=3):
    """A stage in small: rows in parts, then one file."""
    from orrery.parts import Parts, map_parts
    from orrery.problems.schemas import REJECTS, SOLUTIONS
    from orrery.store import shards

    parts = Parts(folder / "parts", (REJECTS, SOLUTIONS), fingerprint)
    items = [range(first, min(first + size, count)) for first in range(0, count, size)]
    names = map_parts(partial(rows_of, folder), items, parts, workers)
    shards.write_tables(folder / "out.parquet", REJECTS, parts.tables(names, "rejects"))
    return parts


if __name__ == "__main__":
    from orrery.workers import Workers

    build(Path(sys.argv[1]), Workers(int(sys.argv[2])))
