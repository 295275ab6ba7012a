"""A lock has one holder, and is free once that ends, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from orrery.model import OrreryError
from orrery.store.locks import alone

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nothing is locked elsewhere")

HOLDER = """
import sys, time
from pathlib import Path
from orrery.store.locks import alone
with alone(Path(sys.argv[1]), "it"):
    print("held", flush=True)
    time.sleep(60)
"""

MANY = """
import os, sys
from pathlib import Path
from orrery.model import OrreryError
from orrery.store.locks import alone
taken, folder = 0, Path(sys.argv[1])
while taken < 300:
    try:
        with alone(folder / "locks" / "solve-ferry", "it"):
            os.close(os.open(folder / "inside", os.O_CREAT | os.O_EXCL))
            (folder / "inside").unlink()
            taken += 1
    except OrreryError:
        pass
"""


def test_it_has_one_holder_who_is_named_and_ends_with_it(tmp_path):
    path = tmp_path / "locks" / "solve-ferry"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        with (
            pytest.raises(
                OrreryError, match=rf"orrery solve ferry: is already at work \(process {other.pid}\)"
            ),
            alone(path, "orrery solve ferry"),
        ):
            raise AssertionError
        other.send_signal(signal.SIGKILL)
    with alone(path, "orrery solve ferry"):
        assert path.read_text() == str(os.getpid())
    assert not path.exists()


def test_it_is_free_after_an_error_and_others_are_not_touched(tmp_path):
    with pytest.raises(KeyError), alone(tmp_path / "one", "one"), alone(tmp_path / "two", "two"):
        raise KeyError
    with alone(tmp_path / "one", "one"), alone(tmp_path / "two", "two"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_many_who_come_and_go_hold_it_one_at_a_time(tmp_path):
    """The file is removed with each lock; one who opened it just before must not believe to hold it."""
    runs = [subprocess.Popen([sys.executable, "-c", MANY, str(tmp_path)]) for _ in range(4)]
    assert [run.wait(120) for run in runs] == [0] * 4
    assert not any((tmp_path / "locks").iterdir())


FORKING = """
import os, sys, time
from pathlib import Path
from orrery.store.locks import alone
with alone(Path(sys.argv[1]), "it"):
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(60)
        os._exit(0)
    time.sleep(60)
"""


def test_a_process_that_its_holder_forked_does_not_hold_it(tmp_path):
    path = tmp_path / "locks" / "solve-ferry"
    with subprocess.Popen(
        [sys.executable, "-c", FORKING, str(path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        child = int(holder.stdout.readline())
        with pytest.raises(OrreryError, match="already at work"), alone(path, "it"):
            raise AssertionError
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        try:
            with alone(path, "it"):
                os.kill(child, 0)  # is there
        finally:
            os.kill(child, signal.SIGKILL)
