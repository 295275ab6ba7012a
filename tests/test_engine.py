import os
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery import engine
from orrery.engine import Joined, fingerprint, map_items, resumable_map, using
from orrery.engine.mapping import _MapRun
from orrery.engine.names import EngineName
from orrery.families.problems.schemas import REJECTS
from orrery.model import OrreryError, UsageError
from orrery.orphans import guard
from orrery.store.parts import Parts
from tests import engine_samples as work


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@given(st.lists(st.integers(), max_size=20))
def test_one_job_is_map(items):
    assert list(map_items(items, work.square)) == [work.square(item) for item in items]


def test_results_keep_their_order_and_do_not_depend_on_jobs():
    expected = [work.square(item) for item in range(3000)]
    assert list(map_items(iter(range(3000)), work.square, jobs=2, warm_up=0)) == expected
    assert list(map_items(range(20), work.slower_first, jobs=3, warm_up=0)) == list(range(20))


def test_workers_do_the_work_after_the_warm_up():
    results = list(map_items(range(60), work.process_of, jobs=2, warm_up=0.02))
    assert [item for item, _ in results] == list(range(60))
    processes = [process for _, process in results]
    assert processes[0] == os.getpid() != processes[-1]
    assert not any(map(alive, set(processes) - {os.getpid()}))


TELL = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from orrery.engine import map_items
from tests.engine_samples import TOLD, what_was_told
if __name__ == "__main__":
    TOLD.append("by the parent")
    if sys.argv[2] == "threads":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    print(list(map_items(range(2), what_was_told, jobs=2, warm_up=0, label="tell")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
@pytest.mark.parametrize("on_terminal", [False, True])  # where a bar is shown
@pytest.mark.parametrize(("threads", "told"), [("one", ["by the parent"]), ("threads", [])])
def test_workers_are_forked_from_a_process_without_other_threads(tmp_path, root, threads, told, on_terminal):
    """Those of one with threads are spawned, and know nothing of it."""
    script = tmp_path / "script.py"
    script.write_text(TELL)
    ours, theirs = os.openpty()
    errors = theirs if on_terminal else subprocess.DEVNULL
    ran = subprocess.run(
        [sys.executable, script, root, threads], stdout=subprocess.PIPE, stderr=errors, text=True, check=True
    )
    for file in (ours, theirs):
        os.close(file)
    assert ran.stdout.strip() == str([told, told])


def test_work_that_is_soon_done_starts_no_process_either():
    """A fifth of a second is left after the warm-up, less than workers are reckoned to take to start."""
    found = map_items([0.3, *[0.01] * 20], work.slept_in, jobs=2, warm_up=0.2)
    assert {process for _, process in found} == {os.getpid()}


def test_little_work_starts_no_process():
    assert {process for _, process in map_items(range(5), work.process_of, jobs=2)} == {os.getpid()}


def test_results_come_while_later_ones_are_made(tmp_path):
    results = map_items(range(10**4), partial(work.counted, tmp_path), jobs=2, warm_up=0)
    assert next(results) == 0
    assert len(list(tmp_path.iterdir())) < 10**4
    results.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_error_carries_the_item(jobs):
    with pytest.raises(ZeroDivisionError, match="seven") as error:
        list(map_items(range(20), work.fail_at_seven, jobs=jobs, warm_up=0, describe="number {}".format))
    assert "at item 8 of 20: number 7" in error.value.__notes__
    assert jobs == 1 or any("fail_at_seven" in note for note in error.value.__notes__)


@pytest.mark.parametrize("jobs", [1, 2])
def test_our_own_errors_stay_what_they_are(jobs):
    with pytest.raises(UsageError) as error:
        list(map_items(range(20), work.refuse_seven, jobs=jobs, warm_up=0))
    assert str(error.value) == "here: seven (take eight)"
    assert error.value.__notes__ == ["at item 8 of 20: 7"]


def test_results_before_the_error_are_not_lost():
    results = map_items(range(20), work.fail_at_seven, jobs=2, warm_up=0)
    assert list(islice(results, 3)) == [0, 1, 2]
    results.close()


def test_what_cannot_travel_is_reported_as_text():
    with pytest.raises(engine.WorkerError, match="4 and 4"):
        list(map_items([4], work.awkward, jobs=2, warm_up=0))
    with pytest.raises(Exception, match="pickle") as error:
        list(map_items([4], work.unpicklable, jobs=2, warm_up=0))
    assert "at item 1 of 1: 4" in error.value.__notes__


@pytest.mark.parametrize(
    ("function", "how"),
    [(work.killed_at_seven, "was killed by signal 9"), (work.leave_at_seven, "ended with exit code 3")],
)
def test_dead_worker_is_one_error_that_names_the_item(function, how):
    with pytest.raises(OrreryError) as error:
        list(map_items(range(200), function, jobs=2, warm_up=0, describe="problem {}".format))
    assert str(error.value).startswith(f"worker process at item 8 of 200: problem 7: {how} (")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.slow
def test_a_death_is_told_by_its_own_signal_each_time():
    """The executor's thread waits for the same processes: who asks first must not decide what is told."""
    for _ in range(40):
        with pytest.raises(OrreryError, match=r"was killed by signal 9"):
            list(map_items(range(9), work.killed_at_seven, jobs=2, warm_up=0))


def test_a_worker_that_is_killed_while_it_sends_holds_nobody_up():
    """What was sent of a result in part would be waited for without an end."""
    with pytest.raises(OrreryError, match=r"worker process at item \d of 9: .*: was killed by signal 9"):
        list(map_items(range(9), work.killed_with_a_long_result, jobs=2, warm_up=0))


def test_long_items_and_results_come_whole_and_leave_no_file():
    items = [bytes([number]) * 10**5 for number in range(10)]
    assert list(map_items(items, len, jobs=2, warm_up=0)) == [10**5] * 10
    found = list(map_items(range(10), work.long_result, jobs=2, warm_up=0))
    assert found == [work.long_result(number) for number in range(10)]
    assert not list(guard().folder.glob("pool-*"))


def test_a_process_pool_may_be_asked_for(monkeypatch):
    """Little work, which would be done here."""
    with using(EngineName.POOL):
        assert os.getpid() not in {process for _, process in map_items(range(4), work.process_of, jobs=2)}
    monkeypatch.setenv("ORRERY_ENGINE", "pool")
    assert os.getpid() not in {process for _, process in map_items(range(4), work.process_of, jobs=2)}
    with using(EngineName.AUTO):
        assert {process for _, process in map_items(range(4), work.process_of, jobs=2)} == {os.getpid()}


def test_what_ends_its_process_is_an_error_of_its_item():
    with pytest.raises(engine.WorkerError, match=r"sys.exit\('seven'\)") as error:
        list(map_items(range(20), work.exit_at_seven, jobs=2, warm_up=0))
    assert "at item 8 of 20: 7" in error.value.__notes__


def test_of_several_errors_the_first_item_s_is_raised():
    for _ in range(2):
        with pytest.raises(ZeroDivisionError) as error:
            list(map_items([1, 7, 2, 7, 7, 7, 3], work.fail_at_seven, jobs=3, warm_up=0))
        assert "at item 2 of 7: 7" in error.value.__notes__


def test_long_descriptions_are_cut():
    with pytest.raises(ZeroDivisionError) as error:
        list(map_items([7], work.fail_at_seven, describe=lambda _: "x" * 1000))
    assert len(error.value.__notes__[0]) < 150


def test_workers_end_with_the_consumer_and_clean_up(tmp_path):
    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    def interrupt_when_busy():
        until(lambda: len(list(tmp_path.iterdir())) == 2)
        os.kill(os.getpid(), signal.SIGALRM)

    import threading

    old = signal.signal(signal.SIGALRM, stop)
    thread = threading.Thread(target=interrupt_when_busy)
    try:
        thread.start()
        with pytest.raises(Stop):
            list(map_items([tmp_path, tmp_path], work.wait_for_the_end, jobs=2, warm_up=0))
    finally:
        signal.signal(signal.SIGALRM, old)
        thread.join()
    started = [int(path.name) for path in tmp_path.iterdir() if path.name.isdigit()]
    assert len(started) == 2
    assert not any(map(alive, started))
    assert (tmp_path / "cleaned").exists(), "the finally block of the work must run"


def made(folder):
    return (folder / "made").read_text().split() if (folder / "made").exists() else []


def grows(path):
    before = path.stat().st_size
    time.sleep(0.5)
    return path.stat().st_size > before


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_build_resumes_with_the_same_bytes(tmp_path, jobs):
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    whole.mkdir()
    torn.mkdir()
    work.build(whole, 1)
    root = os.path.dirname(os.path.dirname(os.path.abspath(work.__file__)))
    command = [sys.executable, "-m", "tests.engine_samples", str(torn), str(jobs)]
    process = subprocess.Popen(command, cwd=root)
    until(lambda: len(list(torn.glob("parts/same/0*"))) >= 4)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not (torn / "out.parquet").exists()
    finished = {path.name[:5] for path in torn.glob("parts/same/0*")}
    assert 4 <= len(finished) < 14
    until(lambda: not grows(torn / "made"))
    (torn / "made").unlink()
    work.build(torn, jobs)
    again = {int(item) // 3 for item in made(torn)}
    assert again.isdisjoint(int(number) for number in finished), "finished parts are not made again"
    assert (torn / "out.parquet").read_bytes() == (whole / "out.parquet").read_bytes()


@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_of_resumable_parts_come_in_order_and_are_made_once(tmp_path, jobs):
    """Where few rows are made, this process gathers them: several items a part."""
    parts = Parts.under(tmp_path / "parts", "same", (REJECTS,))
    items = [[number] for number in range(10)]
    for _ in range(2):
        tables = list(resumable_map(items, work.Maker(tmp_path), parts, size=4, jobs=jobs, warm_up=0))
        names = [row["item"] for table in tables for row in table["rejects"]]
        assert names == [f"{number}-{n}" for number in range(10) for n in range(2)]
        assert len(tables) == 3
    assert sorted(made(tmp_path), key=int) == [str(number) for number in range(10)]


def test_parts_of_other_inputs_or_items_are_not_used(tmp_path):
    work.build(tmp_path, 1, count=6)
    assert len(made(tmp_path)) == 6
    work.build(tmp_path, 1, count=6)
    assert len(made(tmp_path)) == 6
    work.build(tmp_path, 1, count=6, size=2)
    assert len(made(tmp_path)) == 12
    work.build(tmp_path, 1, count=6, fingerprint="other")
    assert len(made(tmp_path)) == 18


def test_fingerprint_depends_on_contents_names_and_values(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / "d" / "sub").mkdir(parents=True)
        (tmp_path / name / "d" / "sub" / "f.pddl").write_text("(define)")
    here = fingerprint([tmp_path / "one" / "d"], seed=1, size={"easy": [1, 2]})
    assert here == fingerprint([tmp_path / "two" / "d"], size={"easy": [1, 2]}, seed=1)
    assert here != fingerprint([tmp_path / "one" / "d"], seed=2, size={"easy": [1, 2]})
    (tmp_path / "two" / "d" / "sub" / "f.pddl").write_text("(define )")
    assert here != fingerprint([tmp_path / "two" / "d"], seed=1, size={"easy": [1, 2]})
    (tmp_path / "one" / "d" / "sub" / "f.pddl").rename(tmp_path / "one" / "d" / "f.pddl")
    assert here != fingerprint([tmp_path / "one" / "d"], seed=1, size={"easy": [1, 2]})


def test_progress_is_silent_off_a_terminal_unless_it_takes_long(capsys, monkeypatch):
    list(map_items(range(5), work.square, label="squares"))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("orrery.engine.progress.LINE_SECONDS", -1)
    list(map_items(range(2), work.square, label="squares"))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["squares: 1 of 2 in 0 s", "squares: 2 of 2 in 0 s"]


def test_progress_is_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    list(map_items(range(5), work.square, label="squares"))
    out, err = capsys.readouterr()
    assert out == ""
    assert "squares" in err


def test_items_that_are_alike_go_to_one_worker():
    made = map_items(range(100), work.process_of, jobs=2, warm_up=0, alike=lambda number: number // 10)
    found = [process for _, process in made]
    by_ten = [set(found[start : start + 10]) for start in range(0, 100, 10)]
    assert all(len(processes) == 1 for processes in by_ten[:7]), "towards the end all are kept busy"


def test_a_batch_of_items_that_are_like_no_other_takes_none_that_are_alike():
    run = _MapRun(range(600), str, repr, alike=lambda number: None if number < 500 else number // 100)
    run.size, run.handed = 200, 490
    assert list(run._next(2)) == list(range(490, 500))


def test_items_that_are_like_no_other_are_handed_out_as_ever():
    found = map_items(range(30), work.square, jobs=2, warm_up=0, alike=lambda _: None)
    assert list(found) == list(map(work.square, range(30)))


@given(st.lists(st.lists(st.integers())), st.data())
def test_joined_sequences_are_one_sequence(lists, data):
    joined, whole = Joined(*lists), [each for some in lists for each in some]
    assert list(joined) == whole
    assert len(joined) == len(whole)
    place = data.draw(st.integers(-len(whole) - 1, len(whole)))
    part = slice(*data.draw(st.tuples(*[st.none() | st.integers(-9, 9)] * 2)))
    assert joined[part] == whole[part]
    if -len(whole) <= place < len(whole):
        assert joined[place] == whole[place]
    else:
        with pytest.raises(IndexError):
            joined[place]


def test_a_sequence_of_items_is_not_copied():
    class Made(Joined):
        def __iter__(self):
            raise AssertionError("all items at once")

    assert list(map_items(Made([1, 2], [3]), work.square)) == [1, 4, 9]
