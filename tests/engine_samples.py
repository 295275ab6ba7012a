"""Functions that workers can import, for the tests of the engine.

What stores rows is imported where it is used: a worker that needs none of it starts in a third of the time.
"""

import os
import platform
import signal
import sys
import threading
import time
from pathlib import Path

from orrery.engine import map_parts
from orrery.model import UsageError

WRITE = {"x86_64": "1", "aarch64": "64"}  # the system's number of the call


class Awkward(Exception):
    """An exception that pickle cannot rebuild."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def square(item):
    return item * item


def counted(folder, item):
    """The item, after a short while; a file in ``folder`` says that it was done."""
    time.sleep(0.01)
    (folder / str(item)).touch()
    return item


def process_of(item):
    time.sleep(0.01)
    return item, os.getpid()


def slept_in(seconds):
    time.sleep(seconds)
    return seconds, os.getpid()


def slower_first(item):
    time.sleep(0.3 if item == 0 else 0.0)
    return item


def fail_at_seven(item):
    if item == 7:
        raise ZeroDivisionError("seven")
    return item


def refuse_seven(item):
    if item == 7:
        raise UsageError("here", "seven", "take eight")
    return item


def awkward(item):
    raise Awkward(item, item)


def unpicklable(item):
    return lambda: item


def killed_at_seven(item):
    if item == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def leave_at_seven(item):
    if item == 7:
        os._exit(3)
    return item


def exit_at_seven(item):
    if item == 7:
        sys.exit("seven")
    return item


def killed_with_a_long_result(item):
    """A result of many megabytes, and a kill in the midst of writing it, or later if that is not seen."""
    if item:
        time.sleep(2)
        return b""
    call = Path(f"/proc/self/task/{threading.get_native_id()}/syscall")

    def kill():
        end = time.monotonic() + 5
        while time.monotonic() < end:
            number, *arguments = call.read_text().split()  # file, place, length ...
            if number == WRITE.get(platform.machine()) and int(arguments[2], 16) > 10**6:
                break
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=kill).start()
    return bytes(10**8)


def long_result(item):
    return bytes([item]) * 10**6


def wait_for_the_end(folder):
    (folder / str(os.getpid())).touch()
    try:
        time.sleep(60)
    finally:
        (folder / "cleaned").touch()


def rows_of(folder, item):
    """Two rows a number of the item, noting in ``folder`` that they were made."""
    from orrery.families.problems.schemas import REJECTS
    from tests.store import samples

    with (folder / "made").open("a") as log:
        log.writelines(f"{number}\n" for number in item)
    time.sleep(0.02 * len(item))
    return {"rejects": [samples.row(REJECTS, item=f"{number}-{n}") for number in item for n in range(2)]}


class Maker:
    """A picklable function of a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, item):
        return rows_of(self.folder, item)


def build(folder, jobs, fingerprint="same", count=40, size=3):
    """A stage in small: rows by resumable parts, then one file."""
    from orrery.families.problems.schemas import REJECTS
    from orrery.store import shards
    from orrery.store.parts import Parts

    parts = Parts.under(folder / "parts", fingerprint, (REJECTS,))
    items = [range(first, min(first + size, count)) for first in range(0, count, size)]
    names = map_parts(items, Maker(folder), parts, jobs=jobs, warm_up=0)
    shards.write_tables(folder / "out.parquet", REJECTS, parts.tables(names, "rejects"))


if __name__ == "__main__":
    build(Path(sys.argv[1]), int(sys.argv[2]))


TOLD: list[str] = []


def what_was_told(_):
    return list(TOLD)
