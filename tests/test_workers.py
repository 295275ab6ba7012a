"""One map for all executors: the order, the item that failed, workers that die, processes that end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from itertools import islice
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery import progress, workers
from orrery.model import OrreryError, UsageError
from orrery.workers import Workers, map_items
from tests import worker_samples as samples
from tests.effort import by_day, slow
from tests.every_domain import ROOT

TWO = Workers(2)


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@given(st.lists(st.integers(), max_size=20))
def test_one_job_is_map(items):
    assert list(map_items(samples.square, items)) == [samples.square(item) for item in items]


@slow
def test_results_keep_their_order_and_do_not_depend_on_jobs():
    expected = [samples.square(number) for number in range(300)]
    for jobs in (1, 2, 3):
        assert list(map_items(samples.square, iter(range(300)), Workers(jobs))) == expected
    assert list(map_items(samples.slower_first, range(20), Workers(3))) == list(range(20))


def test_a_pool_does_the_work_of_several_items_and_is_gone_then():
    results = list(map_items(samples.process_of, range(40), TWO))
    processes = {process for _, process in results}
    assert os.getpid() not in processes
    assert not any(map(psutil.pid_exists, processes))
    assert list(map_items(samples.process_of, [1], TWO)) == [(1, os.getpid())]


def test_results_come_while_later_ones_are_made(tmp_path):
    results = map_items(partial(samples.counted, tmp_path), range(1000), TWO)
    assert next(results) == 0
    assert len(list(tmp_path.iterdir())) < 1000
    results.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_carries_the_item(jobs):
    results = map_items(samples.fail_at_seven, range(20), Workers(jobs), describe="number {}".format)
    assert list(islice(results, 7)) == list(range(7))
    with pytest.raises(ZeroDivisionError, match="seven") as error:
        next(results)
    assert "at item 8 of 20: number 7" in error.value.__notes__


@pytest.mark.parametrize("jobs", [1, 2])
def test_our_own_errors_stay_what_they_are(jobs):
    with pytest.raises(UsageError) as error:
        list(map_items(samples.refuse_seven, range(20), Workers(jobs)))
    assert str(error.value) == "here: seven (take eight)"
    assert error.value.__notes__ == ["at item 8 of 20: 7"]


@by_day(1)
@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (samples.awkward, workers.WorkerError, "7 and 7"),
        (samples.unpicklable, Exception, "pickle"),
        (samples.exit_at_seven, workers.WorkerError, r"sys.exit\('seven'\)"),
    ],
)
def test_what_cannot_travel_is_an_error_of_its_item(function, error, message):
    with pytest.raises(error, match=message) as caught:
        list(map_items(function, [7, 7], TWO))
    assert "at item 1 of 2: 7" in caught.value.__notes__


def test_long_descriptions_are_cut():
    with pytest.raises(ZeroDivisionError) as error:
        list(map_items(samples.fail_at_seven, [7], describe=lambda _: "x" * 1000))
    assert len(error.value.__notes__[0]) < 150


@slow
def test_a_worker_that_is_killed_costs_a_retry(tmp_path):
    found = list(map_items(partial(samples.killed_once, tmp_path), range(20), TWO))
    assert found == [number * number for number in range(20)]
    assert (tmp_path / "killed").exists()


@slow
def test_an_item_that_kills_its_worker_twice_is_named():
    with pytest.raises(OrreryError, match="worker process: died twice") as error:
        list(map_items(samples.killed_at_seven, range(20), TWO, describe="problem {}".format))
    assert "at item 8 of 20: problem 7" in error.value.__notes__


@slow
def test_a_worker_that_is_killed_while_it_sends_holds_nobody_up(tmp_path):
    """The rest of a result that was sent in part would be waited for without an end."""
    work = partial(samples.killed_once_with_a_long_result, tmp_path)
    assert list(map_items(work, range(3), TWO)) == [bytes(10**8), b"", b""]


@slow
def test_long_items_and_results_come_whole_and_leave_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    items = [bytes([number]) * 10**5 for number in range(10)]
    assert list(map_items(len, items, TWO)) == [10**5] * 10
    found = list(map_items(samples.long_result, range(10), TWO))
    assert found == [samples.long_result(number) for number in range(10)]
    assert list(tmp_path.iterdir()) == []


LONG_ITEMS = """
from orrery.workers import Workers, map_items
from tests.worker_samples import fail_at_byte_seven
if __name__ == "__main__":
    list(map_items(fail_at_byte_seven, [bytes([n]) * 3_000_000 for n in range(40)], Workers(2)))
"""


@slow
def test_an_error_ends_the_work_on_long_items():
    """A pipe full of long items would hold up the end of the pool for ever."""
    run = subprocess.run(
        [sys.executable, "-c", LONG_ITEMS], cwd=ROOT, capture_output=True, text=True, timeout=100
    )
    assert run.returncode == 1
    assert "ZeroDivisionError: seven" in run.stderr


MAP = """
import signal, sys, threading
from orrery.workers import Workers, map_items
from tests.worker_samples import sleep_and_tell
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    for _ in range(int(sys.argv[2])):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    list(map_items(sleep_and_tell, [sys.argv[1] + str(n) for n in range(2)], Workers(2)))
"""


def started(tmp_path, root, threads=0):
    """A program with two workers, and the processes of these and of the programs that they have started."""
    script = tmp_path / "script.py"
    script.write_text(MAP)
    environment = os.environ | {"PYTHONPATH": f"{root / 'pipeline'}{os.pathsep}{root}"}
    command = [sys.executable, script, tmp_path / "told", str(threads)]
    parent = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    paths = [tmp_path / "told0", tmp_path / "told1"]
    until(lambda: all(path.exists() and path.read_text() for path in paths), 60)
    return parent, [int(number) for path in paths for number in path.read_text().split()]


def is_running(process):
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@by_day(1)
@pytest.mark.parametrize("threads", [0, 1])  # forked workers, and spawned ones
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_and_their_programs_go_with_a_process_that_ends(tmp_path, root, how, threads):
    parent, processes = started(tmp_path, root, threads)
    parent.send_signal(how)
    parent.wait(20)
    until(lambda: not any(map(is_running, processes)), 10)


COUNT = """
import sys, threading
from orrery.workers import Workers, map_items
from tests.worker_samples import process_of
KNOWN = []
def known(_):
    return list(KNOWN)
if __name__ == "__main__":
    KNOWN.append("by the parent")
    if sys.argv[1] == "threads":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    print(list(map_items(known, range(2), Workers(2), label="known")))
"""


@by_day(2)
@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
@pytest.mark.parametrize("on_terminal", [False, True])  # where a bar is shown
@pytest.mark.parametrize(("threads", "known"), [("one", ["by the parent"]), ("threads", [])])
def test_workers_are_forked_from_a_process_without_other_threads(tmp_path, root, threads, known, on_terminal):
    """Those of one with threads are spawned, and know nothing of it."""
    script = tmp_path / "script.py"
    script.write_text(COUNT)
    environment = os.environ | {"PYTHONPATH": f"{root / 'pipeline'}{os.pathsep}{root}"}
    ours, theirs = os.openpty()
    errors = theirs if on_terminal else subprocess.DEVNULL
    command = [sys.executable, script, threads]
    run = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=errors, env=environment, text=True, check=True
    )
    for file in (ours, theirs):
        os.close(file)
    assert run.stdout.strip() == str([known, known])


def test_progress_is_silent_off_a_terminal_unless_it_takes_long(capsys, monkeypatch):
    list(map_items(samples.square, range(5), label="squares"))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.2)
    list(map_items(samples.slower_first, range(5), label="squares"))  # 0.3 s for the first
    out, err = capsys.readouterr()
    assert out == ""
    assert "\r" not in err
    assert err.startswith("squares: 20%, 1 of 5 [")
    assert err.endswith("]\n")
    assert err.count("\n") == 1


def test_progress_is_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    list(map_items(samples.square, range(5), label="squares"))
    out, err = capsys.readouterr()
    assert out == ""
    assert "squares" in err


def test_no_file_of_results_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ZeroDivisionError):
        list(map_items(samples.fail_at_seven, range(20), TWO))
    assert list(Path(tmp_path).iterdir()) == []


@slow
def test_a_script_without_a_main_guard_is_told_what_is_wrong(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import threading, time\n"
        "from orrery.workers import Workers, map_items\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "print(list(map_items(abs, range(-3, 0), Workers(2))))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "in a script, call it below `if __name__ == '__main__':`" in done.stderr
