"""The build says where it is, what was kept, how long the rest takes, and what there is in the end."""

import os
import re
import subprocess
import sys
import time

import pytest

from orrery.stages.build import Course, in_words
from tests.checkout import PARAMS
from tests.store import samples

pytestmark = pytest.mark.slow

DVC = """\
stages:
  second:
    desc: Second of all.
    cmd: cat outputs/first > outputs/second
    deps: [outputs/first]
    outs: [outputs/second]
  first:
    desc: First of all.
    cmd: cat params.yaml > outputs/first
    deps: [params.yaml]
    outs: [outputs/first]
  third:
    cmd: sh -c 'exit $(cat code)' && echo 1 > outputs/third
    deps: [outputs/second, code]
    outs: [outputs/third]
"""


# Two stages between the first and the last, which wait until both are at work, and say who began.
SIDE_BY_SIDE = """\
stages:
  first:
    cmd: cat params.yaml > outputs/first
    deps: [params.yaml]
    outs: [outputs/first]
  left:
    cmd: echo left speaks >&2; touch l; until [ -e r ]; do sleep 0.05; done; LEFT && echo > outputs/left
    deps: [outputs/first]
    outs: [outputs/left]
  right:
    cmd: echo right speaks >&2; touch r; until [ -e l ]; do sleep 0.05; done; RIGHT && echo > outputs/right
    deps: [outputs/first]
    outs: [outputs/right]
  last:
    cmd: cat outputs/left outputs/right > outputs/last
    deps: [outputs/left, outputs/right]
    outs: [outputs/last]
"""
AFTER = {"b": ["a"], "c": ["a"], "d": ["b", "c"]}


def side_by_side(root, left="true", right="true"):
    (root / "dvc.yaml").write_text(SIDE_BY_SIDE.replace("LEFT", left).replace("RIGHT", right))
    return build(root)


@pytest.fixture
def root(tmp_path):
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc" / "config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    (tmp_path / "dvc.yaml").write_text(DVC)
    (tmp_path / "params.yaml").write_text(PARAMS)
    (tmp_path / "domains" / "blocksworld").mkdir(parents=True)
    (tmp_path / "domains" / "ferry").mkdir()
    (tmp_path / "code").write_text("0")
    samples.dataset(tmp_path / "outputs" / "dataset")
    return tmp_path


def build(root, *options):
    command = [sys.executable, "-m", "orrery", "build", *options]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)


def until(holds):
    """Wait until something holds, but not for ever."""
    for _ in range(2400):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("it does not hold after two minutes")


def is_alive(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def numbers(told):
    return re.findall(r"^stage (\d) of (\d) \[[#-]{24}\] +(\d+)%.*: (\w+)", told, re.MULTILINE)


def test_each_stage_is_told_in_its_order_and_what_is_kept(root):
    first = build(root)
    assert first.returncode == 0, first.stderr
    expected = [("1", "3", "0", "first"), ("2", "3", "33", "second"), ("3", "3", "67", "third")]
    assert numbers(first.stderr) == expected
    assert "First of all." in first.stderr
    assert "stages that ran: 3, in" in first.stderr
    assert "kept" not in first.stderr
    (root / "code").write_text("00")
    again = build(root)
    assert [(k, n, name) for k, n, _, name in numbers(again.stderr)] == [
        (k, n, name) for k, n, _, name in expected
    ]
    assert re.findall(r"(\w+) is kept", again.stderr) == ["first", "second"]
    assert "about" in again.stderr  # for now it is known what they take
    assert "stages that ran: 1, in" in again.stderr
    assert "; 2 kept, as" in again.stderr


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_what_changes_while_a_stage_runs_is_read_again_by_the_next_build(root, force):
    """Whether the stage has read it before or after is not known."""
    slow = DVC.replace("cmd: sh -c 'exit $(cat code)' &&", "cmd: cat code > read && printf 1 > code &&")
    (root / "dvc.yaml").write_text(slow)
    first = build(root, *force)
    assert first.returncode == 0, first.stderr
    assert "warning: code changed while third ran; the next build runs it again" in first.stderr
    again = build(root)
    assert re.findall(r"(\w+) is kept", again.stderr) == ["first", "second"]
    assert "warning" not in again.stderr
    assert (root / "read").read_text() == "1"
    assert "stages that ran: 0, in" in build(root).stderr


def test_the_last_lines_say_rows_where_things_are_and_what_to_try(root):
    said = build(root).stdout
    assert re.search(r"^  .*text_to_pddl +18\b", said, re.MULTILINE)
    assert "outputs/report/index.html" in said
    (shown,) = re.findall(r"orrery show (\S+) --picture", said)
    assert shown == "blocksworld/train/000000"
    assert said.rstrip().splitlines()[-1].startswith("  ")


@pytest.mark.parametrize("code", [3, 5])
def test_a_stage_that_fails_is_named_and_its_exit_code_is_kept(root, code):
    (root / "code").write_text(str(code))
    failed = build(root)
    assert failed.returncode == code
    assert failed.stderr.splitlines()[-1].startswith("error: stage third: failed (mend what it says")
    assert failed.stdout == ""


def test_a_build_beside_another_is_refused_and_told_why(root):
    (root / "dvc.yaml").write_text(DVC.replace("cat params.yaml", "touch begun; sleep 60; cat params.yaml"))
    with subprocess.Popen(
        [sys.executable, "-m", "orrery", "build"], cwd=root, stderr=subprocess.DEVNULL
    ) as one:
        try:
            until((root / "begun").exists)
            second = build(root)
        finally:
            one.terminate()
    assert second.returncode == 3
    assert second.stdout == ""
    told = f"error: {root}: another build, or another command of DVC, is at work here (wait until"
    assert second.stderr.splitlines()[-1].startswith(told)


def test_stages_that_do_not_wait_for_each_other_run_side_by_side(root):
    built = side_by_side(root)
    assert built.returncode == 0, built.stderr
    assert "stages that ran: 4, in" in built.stderr
    assert [built.stderr.count(f"{name} speaks\n") for name in ("left", "right")] == [1, 1]
    assert "; 4 kept, as" in side_by_side(root).stderr
    reproduced = subprocess.run(
        [sys.executable, "-m", "dvc", "repro"], cwd=root, capture_output=True, text=True, check=True
    )
    assert reproduced.stdout.count("didn't change, skipping") == 4


@pytest.mark.parametrize("code", [5, 137])
def test_a_stage_that_fails_ends_those_beside_it(root, code):
    """By an exit or a kill; what the other would make is not there, and is made by the next build."""
    failing = "exit 5" if code == 5 else "kill -9 $$"
    began = time.monotonic()
    failed = side_by_side(root, left="sleep 250", right=failing)
    assert time.monotonic() - began < 200
    assert failed.returncode == code
    assert failed.stderr.splitlines()[-1].startswith("error: stage right: failed (mend what it says")
    assert not list((root / "outputs").glob("left*"))
    assert side_by_side(root).returncode == 0


def test_a_build_that_is_killed_takes_its_stages_with_it(root):
    (root / "dvc.yaml").write_text(
        SIDE_BY_SIDE.replace("LEFT", "echo $$ > pid && sleep 250").replace("RIGHT", "true")
    )
    building = subprocess.Popen(
        [sys.executable, "-m", "orrery", "build"], cwd=root, stderr=subprocess.DEVNULL
    )
    try:
        until(lambda: (root / "pid").is_file() and (root / "pid").read_text())
    finally:
        building.kill()
        building.wait()
    until(lambda: not is_alive(int((root / "pid").read_text())))
    assert side_by_side(root).returncode == 0


@pytest.mark.parametrize("stages", [0, 2])
def test_a_lock_file_that_a_kill_cut_off_is_put_back(root, stages):
    """DVC writes it in place: killed meanwhile, a build leaves an empty one, with which DVC does nothing."""
    cut_off = "import os, signal, sys\nfrom pathlib import Path\nfrom dvc.dvcfile import Lockfile\n"
    cut_off += f"whole, left = Lockfile.dump_stages, [None] * {stages}\n"
    cut_off += "def dump(self, some, **more):\n    if left:\n        left.pop()\n"
    cut_off += "        return whole(self, some, **more)\n    Path(self.path).write_text('')\n"
    cut_off += "    os.kill(os.getpid(), signal.SIGKILL)\nLockfile.dump_stages = dump\n"
    cut_off += "import runpy\nsys.argv[1:] = ['build']\nrunpy.run_module('orrery', run_name='__main__')\n"
    killed = subprocess.run([sys.executable, "-c", cut_off], cwd=root, capture_output=True, text=True)
    assert killed.returncode == -9, killed.stderr
    assert (root / "dvc.lock").read_text() == ""
    again = build(root)
    assert again.returncode == 0, again.stderr
    assert f"; {stages} kept" in again.stderr or not stages


@pytest.mark.parametrize("left", ["", '{"/a": {"wri'])
def test_a_list_of_paths_in_use_that_a_kill_cut_off_is_dropped(root, left):
    (root / ".dvc" / "tmp").mkdir()
    (root / ".dvc" / "tmp" / "rwlock").write_text(left)
    done = build(root)
    assert done.returncode == 0, done.stderr


def test_a_dvc_yaml_that_cannot_be_read_is_told(root):
    (root / "dvc.yaml").write_text("stages: [")
    failed = build(root)
    assert failed.returncode == 3
    assert "error: dvc.yaml: " in failed.stderr


def test_what_is_left_follows_the_pace_of_this_machine():
    course = Course(("a", "b", "c"), {"a": 10.0, "b": 20.0, "c": 70.0}, {"b": ["a"], "c": ["b"]})
    assert (course.share(), course.left()) == (0.0, 100.0)
    course.done, course.took = {"a"}, {"a": 20.0}
    assert (course.share(), course.left()) == (pytest.approx(0.1), 180.0)
    course.done.add("b")  # was kept, which says nothing of the pace
    assert (course.share(), course.left()) == (pytest.approx(0.3), 140.0)
    course.began = dict.fromkeys("abc", 0.0)
    assert course.line("c") == "stage 3 of 3 [#######-----------------]  30%, about 2 min left: c"
    assert Course(("a",), {}, {}).left() is None


def test_what_runs_side_by_side_takes_no_longer_than_the_longest():
    course = Course(("a", "b", "c", "d"), {"a": 10.0, "b": 20.0, "c": 70.0, "d": 20.0}, AFTER)
    assert course.left() == 100.0
    course.done = {"a", "c"}  # b takes as long as it does
    assert (course.share(), course.left()) == (pytest.approx(0.6), 40.0)


def test_times_are_said_as_people_say_them():
    assert [in_words(n) for n in (0.2, 99, 100, 5000, 7200)] == ["0 s", "99 s", "2 min", "83 min", "2.0 h"]
