"""What a process started ends with it, even where it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orrery.orphans import Guard, guard

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the guard is a shell")

RUN = """
import sys
from orrery.planners.process import run
code = "import os, time; open({0!r}, 'w').write(str(os.getpid()) + ' ' + os.getcwd()); time.sleep(60)"
run([sys.executable, "-c", code], feed="", seconds=30, megabytes=2000)
"""
MAP = """
import os, sys, threading, time
sys.path.insert(0, {1!r})
from orrery.engine import map_items
from tests.test_orphans import sleep_and_tell
if __name__ == "__main__":
    for _ in range({2}):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    list(map_items([{0!r} + str(n) for n in range(2)], sleep_and_tell, jobs=2, warm_up=0))
"""


def sleep_and_tell(path):
    Path(path).write_text(f"{os.getpid()} {os.getcwd()}")
    time.sleep(60)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until(what, seconds=20.0):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


def killed_once_they_told(program, paths):
    """Start a program, kill it once its children have said who they are, and return what they said."""
    with subprocess.Popen([sys.executable, program], stderr=subprocess.DEVNULL) as parent:
        told = wait_until(lambda: all(path.exists() and path.read_text() for path in paths), 60)
        parent.send_signal(signal.SIGKILL)
    assert told
    return [path.read_text().split() for path in paths]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_program_and_its_folder_go_with_the_process_that_is_killed(tmp_path):
    script, told = tmp_path / "script.py", tmp_path / "told"
    script.write_text(RUN.format(str(told)))
    [(pid, folder)] = killed_once_they_told(script, [told])
    assert wait_until(lambda: not alive(pid), 1)
    assert wait_until(lambda: not Path(folder).exists(), 5)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("threads", [0, 1])
def test_workers_go_with_the_process_that_is_killed(tmp_path, root, threads):
    """Those that were forked, and those of a process with other threads, which are spawned."""
    script, told = tmp_path / "script.py", tmp_path / "told"
    script.write_text(MAP.format(str(told), str(root), threads))
    found = killed_once_they_told(script, [tmp_path / "told0", tmp_path / "told1"])
    assert all(wait_until(lambda pid=pid: not alive(pid), 1) for pid, _ in found)


def test_what_is_forgotten_is_left_alone():
    warden = Guard()
    kept, watched = (subprocess.Popen(["sleep", "60"], start_new_session=True) for _ in range(2))
    try:
        for each in (kept, watched):
            warden.watch(str(each.pid))
        warden.forget(str(kept.pid))
        warden._shell.stdin.close()  # as if this process had died
        assert watched.wait(10) == -signal.SIGKILL
        assert kept.poll() is None
        assert wait_until(lambda: not warden.folder.exists(), 5)
    finally:
        kept.kill()
        kept.wait()
        warden._shell.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_folder_whose_guard_was_killed_too_goes_with_the_next_process(tmp_path):
    """As when a machine ends, or a whole group of processes is killed at once."""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    code = (
        "import time; from orrery.orphans import guard; print(guard()._shell.pid, flush=True); time.sleep(60)"
    )
    strangers = [tmp_path / "orrery-notes.v2-x", tmp_path / "orrery-x"]
    for stranger in strangers:
        stranger.mkdir()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as process:
        shell = int(process.stdout.readline())
        os.kill(shell, signal.SIGKILL)
        process.kill()
    [left] = set(tmp_path.iterdir()) - set(strangers)
    subprocess.run(
        [sys.executable, "-c", "from orrery.orphans import guard; guard()"], env=environment, check=True
    )
    assert wait_until(lambda: sorted(tmp_path.iterdir()) == sorted(strangers), 5), left


def test_a_forked_process_has_a_guard_of_its_own():
    ours = guard().folder
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        os.write(write, str(guard().folder).encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(read, 1000).decode()
    assert theirs != str(ours)
    assert ours.exists()
    assert guard().folder == ours


def test_a_guard_that_was_killed_is_no_error():
    warden = Guard()
    warden._shell.kill()
    warden._shell.wait()
    warden.watch("1234567")
    warden.forget("1234567")
    warden.folder.rmdir()
