import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orrery.planning import process
from orrery.planning.process import run


def python(code, feed="", seconds=10.0, megabytes=2048, keep=()):
    return run([sys.executable, "-c", code], feed=feed, seconds=seconds, megabytes=megabytes, keep=keep)


def gone(pid):
    """Whether a process has ended; one that nobody has waited for yet counts as ended."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_input_output_errors_and_code():
    ended = python("import sys; print(sys.stdin.read()[::-1]); sys.stderr.write('oh'); sys.exit(7)", "abc")
    assert (ended.code, ended.output, ended.errors, ended.timed_out) == (7, "cba\n", "oh", False)


def test_the_working_folder_is_new_empty_and_removed():
    ended = python("import os, tempfile; print(os.getcwd(), tempfile.gettempdir(), os.listdir())")
    folder, temporary, listing = ended.output.split()
    assert folder == temporary != os.getcwd()
    assert listing == "[]"
    assert not Path(folder).exists()


def test_files_asked_for_are_read_and_absent_ones_left_out():
    ended = python("open('a', 'w').write('x'); open('b', 'w')", keep=["a", "c"])
    assert ended.files == {"a": "x"}


def test_calls_side_by_side_share_no_files():
    code = "import sys, time; n = sys.stdin.read(); open('f', 'a').write(n); time.sleep(.1)"
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda n: python(code, str(n), keep=["f"]), range(8)))
    assert [ended.files["f"] for ended in ends] == [str(n) for n in range(8)]


BUSY = "while True: pass"


@pytest.mark.slow
def test_the_limit_is_one_of_processor_time():
    ended = python(BUSY, seconds=0.5)
    assert ended.timed_out
    assert 0.7 <= ended.seconds <= 2.1  # the system counts by ticks
    slept = python("import time; time.sleep(1.5); print('done')", seconds=1.0)
    assert (slept.timed_out, slept.output) == (False, "done\n")


@pytest.mark.slow
def test_what_a_program_takes_is_told_with_what_it_waited_for():
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}]); print('then')"
    ended = python(code, seconds=1.0)
    assert (ended.timed_out, ended.output) == (False, "then\n")
    assert ended.seconds >= 0.9


@pytest.mark.slow
def test_a_program_that_waits_for_ever_has_not_answered(tmp_path, monkeypatch):
    """Had the child been waited for, it would have said that it slept to its end."""
    monkeypatch.setattr(process, "FUSE_SECONDS", 0.5)
    monkeypatch.setattr(process, "FUSE_FACTOR", 0.5)
    slept, number = tmp_path / "slept", tmp_path / "number"
    child = f"import time; time.sleep(60); open({str(slept)!r}, 'w')"
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        f"open({str(number)!r}, 'w').write(str(child.pid)); time.sleep(60)"
    )
    with pytest.raises(process.Hung, match=r"^python.* has not ended in 1 s by the clock"):
        python(code, seconds=1.0)
    assert gone(int(number.read_text()))
    assert not slept.exists()


def test_a_child_that_keeps_the_output_open_holds_nobody_up():
    child = "[sys.executable, '-c', 'import time; time.sleep(60)']"
    code = f"import subprocess, sys; print(subprocess.Popen({child}).pid)"
    start = time.monotonic()
    assert gone(int(python(code).output))
    assert time.monotonic() - start < 30


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can limit another process")
def test_lower_limits_that_we_were_born_with_stay():
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (900 * 2**20, 900 * 2**20))\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (7, 8))\n"
        "from orrery.planning.process import run\n"
        "show = 'from resource import *; print(getrlimit(RLIMIT_AS)[0] // 2**20, getrlimit(RLIMIT_CPU))'\n"
        "print(run([sys.executable, '-c', show], feed='', seconds=30, megabytes=4096).output)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.stdout.strip() == "900 (7, 8)", ended.stderr


def test_what_the_program_leaves_running_ends_with_it():
    code = (
        "import subprocess, sys\n"
        "quiet = dict.fromkeys(['stdin', 'stdout', 'stderr'], subprocess.DEVNULL)\n"
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], **quiet).pid)"
    )
    assert gone(int(python(code).output))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can limit another process")
def test_the_memory_limit_holds_for_children_too():
    code = (
        "import subprocess, sys\n"
        "sys.stdin.read()\n"
        "print(subprocess.run([sys.executable, '-c', 'bytearray(600 * 2**20)'], stderr=-1).stderr[-12:])"
    )
    assert "MemoryError" in python(code, megabytes=500).output
    assert "MemoryError" not in python(code, megabytes=2000).output


def test_death_by_a_signal_is_a_negative_code():
    assert python("import os; os.kill(os.getpid(), 11)").code == -signal.SIGSEGV


def test_a_program_that_ignores_its_input_is_no_failure():
    assert python("print('done')", feed="x" * 10**6).output == "done\n"


def test_a_program_that_is_not_there():
    with pytest.raises(OSError, match="no-such-program"):
        run(["/no-such-program"], feed="", seconds=1, megabytes=100)
