import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orrery.planners.process import run


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


def test_the_time_limit_ends_the_whole_group(tmp_path):
    """Had the child been waited for, it would have said that it slept to its end."""
    slept = tmp_path / "slept"
    child = f"import time; time.sleep(60); open({str(slept)!r}, 'w')"
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        "print(child.pid, flush=True); time.sleep(60)"
    )
    ended = python(code, seconds=1.0)
    assert ended.timed_out
    assert gone(int(ended.output))
    assert not slept.exists()


def test_what_the_program_leaves_running_ends_with_it():
    code = (
        "import subprocess, sys\n"
        "quiet = dict.fromkeys(['stdin', 'stdout', 'stderr'], subprocess.DEVNULL)\n"
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], **quiet).pid)"
    )
    assert gone(int(python(code).output))


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
