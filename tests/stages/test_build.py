"""`orrery build` is `dvc repro` with the exit code of a stage that fails, and a summary in the end."""

import json
import re
import subprocess
import sys
import time

import pytest

from orrery.config import load, written
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
    (tmp_path / "outputs" / "dataset" / "params.yaml").write_text(written(load(tmp_path)))
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


def ran(stderr):
    return re.findall(r"^Running stage '(\w+)':", stderr, re.MULTILINE)


def test_stages_run_in_their_order_and_are_kept_where_nothing_has_changed(root):
    first = build(root)
    assert first.returncode == 0, first.stderr
    assert ran(first.stderr) == ["first", "second", "third"]
    (root / "code").write_text("00")
    assert ran(build(root).stderr) == ["third"]
    assert ran(build(root).stderr) == []
    assert ran(build(root, "--force").stderr) == ["first", "second", "third"]


def test_a_first_build_tells_the_time_left_by_the_pace_of_its_stages(root):
    text = DVC.replace("cat params.yaml", "sleep 1; cat params.yaml")
    for name, stated in {"first": 1, "second": 600, "third": 0}.items():
        text = text.replace(f"  {name}:\n", f"  {name}:\n    meta: {{seconds: {{tiny: {stated}}}}}\n")
    (root / "dvc.yaml").write_text(text)
    begun = time.monotonic()
    lines = re.findall(r"^Running stage '(\w+)':(.*)$", build(root).stderr, re.MULTILINE)
    left = {name: float(re.search(r"\d+\.\d", told)[0]) for name, told in lines}
    assert left["first"] == pytest.approx(601 / 60, abs=0.1)
    assert 10 <= left["second"] <= 10 * (time.monotonic() - begun)
    assert left["third"] == 0


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
    assert failed.stderr.splitlines()[-1].startswith(
        "error: orrery build: failed to reproduce 'third' (mend what it says"
    )
    assert failed.stdout == ""


def test_a_stage_that_ctrl_c_stops_is_no_failure(root):
    (root / "code").write_text("130")
    stopped = build(root)
    assert (stopped.returncode, stopped.stdout) == (130, "")
    assert stopped.stderr.splitlines()[-1].startswith("stopped; ")
    (root / "code").write_text("0")
    assert ran(build(root).stderr) == ["third"]


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
    told = f"error: {root}: another build or DVC command is running in this folder (wait for"
    assert second.stderr.splitlines()[-1].startswith(told)


def test_an_empty_list_of_locks_that_a_kill_has_left_is_dropped(root):
    (root / ".dvc" / "tmp").mkdir()
    (root / ".dvc" / "tmp" / "rwlock").write_text("")
    done = build(root)
    assert done.returncode == 0, done.stderr


def test_a_dvc_lock_that_a_kill_has_cut_off_is_dropped_with_one_message(root):
    assert build(root).returncode == 0
    lock = (root / "dvc.lock").read_bytes()
    for size in (0, 5, len(b"schema: '2.0'\nstages:\n"), len(lock) // 2, len(lock) - 3):
        (root / "dvc.lock").write_bytes(lock[:size])
        done = build(root)
        assert done.returncode == 0, (size, done.stderr)
        assert done.stderr.count("dvc.lock: was cut off") <= 1
        assert size > 30 or "dvc.lock: was cut off" in done.stderr
        assert (root / "dvc.lock").read_bytes() == lock


def test_a_dvc_yaml_that_cannot_be_read_is_told(root):
    (root / "dvc.yaml").write_text("stages: [")
    failed = build(root)
    assert failed.returncode == 3
    assert "error: dvc.yaml: " in failed.stderr


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_key_that_a_later_stage_needs_is_missed_before_the_first_stage(root, options):
    (root / "dvc.yaml").write_text(DVC + "    params: [seed, version]\n")
    lines = (root / "params.yaml").read_text().splitlines(keepends=True)
    (root / "params.yaml").write_text("".join(line for line in lines if not line.startswith("version")))
    refused = build(root, *options)
    assert refused.returncode
    assert "params.yaml: lacks version (" in refused.stderr
    assert ran(refused.stderr) == []
    assert not (root / "outputs" / "first").exists()


def test_a_stage_that_starts_tells_how_long_it_and_the_later_ones_last_took(root):
    assert "left" not in build(root).stderr
    times = root / ".dvc" / "tmp" / "orrery_seconds.json"
    times.write_text('{"tiny": {"first": 60, "second": 90, "third": 30}, "other": {"third": 600}}')
    starts = [line for line in build(root, "--force").stderr.splitlines() if line.startswith("Running stage")]
    assert [re.search(r"[\d.]+ min left", line)[0] for line in starts] == [
        "3.0 min left", "2.0 min left", "0.5 min left",
    ]  # fmt: skip
    times.write_text('{"tiny": {"first": 60, "third": 30}}')
    starts = [line for line in build(root, "--force").stderr.splitlines() if line.startswith("Running stage")]
    assert [" left" in line for line in starts] == [False, False, True]


def test_stages_that_are_done_or_unchanged_count_for_no_time_left(root):
    text = "stages:\n"
    for branch in "ab":
        text += f"  {branch}1: {{cmd: cp code outputs/{branch}1, deps: [code], outs: [outputs/{branch}1]}}\n"
        deps = f"deps: [outputs/{branch}1, params.yaml]"
        text += f"  {branch}2: {{cmd: cp code outputs/{branch}2, {deps}, outs: [outputs/{branch}2]}}\n"
    text += "  end: {cmd: cp code outputs/end, deps: [outputs/a2, outputs/b2], outs: [outputs/end]}\n"
    (root / "dvc.yaml").write_text(text)
    assert build(root).returncode == 0
    seconds = {"a1": 60, "a2": 120, "b1": 240, "b2": 480, "end": 960}
    (root / ".dvc" / "tmp" / "orrery_seconds.json").write_text(json.dumps({"tiny": seconds}))
    (root / "code").write_text("00")
    starts = minutes_left(root)
    assert sorted(starts) == [*seconds]
    for number, name in enumerate(starts):
        assert starts[name] == sum(seconds[later] for later in [*starts][number:]) / 60
    (root / "params.yaml").write_text(PARAMS + "\n")
    starts = minutes_left(root)
    assert sorted(starts) == ["a2", "b2"]
    last = [*starts][-1]
    assert starts[last] == (seconds[last] + seconds["end"]) / 60  # the end is not known to be unchanged


def minutes_left(root):
    """The time left in minutes that a build tells at the start of each of its stages."""
    starts = re.findall(r"^Running stage '(\w+)':.* ([\d.]+) min left", build(root).stderr, re.MULTILINE)
    return {name: float(minutes) for name, minutes in starts}


def test_a_dry_run_lists_what_would_run_and_runs_nothing(root):
    (root / ".dvc" / "tmp").mkdir(exist_ok=True)
    (root / ".dvc" / "tmp" / "orrery_seconds.json").write_text('{"tiny": {"second": 7.2}}')
    done = build(root, "--dry-run")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.partition("\n\n")[0]
    lines = {line.split()[0]: line for line in shown.splitlines()[1:]}
    assert list(lines) == ["first", "second", "third"]
    assert "params.yaml" in lines["first"]
    assert lines["second"].rstrip().endswith("7 s")
    assert not (root / "outputs" / "first").exists()
    assert build(root).returncode == 0
    assert build(root, "--dry-run").stdout.startswith("No stage would run: nothing has changed")
    (root / "code").write_text("0 ")
    (line,) = build(root, "--dry-run").stdout.partition("\n\n")[0].splitlines()[1:]
    assert line.split() == ["third", "code", "modified"]
