"""Kills, bad planners, second runs: none of it needs a hand afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from unittest.mock import ANY

import pytest
import yaml

from orrery.planning import fast_downward
from tests.checkout import STAGES, checkout, contents, must, orrery, spoil
from tests.every_domain import ROOT

pytestmark = pytest.mark.slow

DOMAINS = ("ferry", "blocksworld")
KILLED_BUILDS = 12
COMMAND = (sys.executable, "-c", "from orrery.cli.main import app; app()")

HANGS = "exec sleep 600"


def run(root, *arguments):
    """A command of ours in a process of its own; what it printed on stderr, and its exit code."""
    ended = subprocess.run(
        [*COMMAND, *arguments, "--root", str(root)], capture_output=True, text=True, timeout=300
    )
    return ended.returncode, ended.stderr


@pytest.fixture
def ferry(tmp_path):
    """A checkout in which only the planner can solve the problems of ferry, which are there."""
    root = checkout(tmp_path, ["ferry"])
    assert run(root, "generate", "ferry") == (0, ANY)  # this process would keep the generator as it is
    path = root / "generators" / "ferry.py"
    path.write_text(path.read_text() + "\ndel plan\n")
    params = root / "params.yaml"
    few = (
        params.read_text()
        .replace("max_states: 20000", "max_states: 1")
        .replace("problems_with_questions: 2", "problems_with_questions: 0")
    )
    params.write_text(few)
    return root


@pytest.fixture
def planner(tmp_path, monkeypatch):
    """Put a shell script in the planner's place."""

    def put(text):
        path = tmp_path / "downward"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        monkeypatch.setattr(fast_downward, "binary", lambda: path)

    return put


def solved(root):
    """The bytes that stage solve leaves."""
    must(root, "solve", "ferry", "--jobs", "1")
    return contents(root / "outputs")


def test_a_planner_that_hangs_fails_the_stage_and_decides_nothing(ferry, planner, monkeypatch):
    expected = solved(ferry)
    shutil.rmtree(ferry / "outputs" / "solutions")
    with monkeypatch.context() as patch:
        patch.setattr("orrery.planning.process.FUSE_SECONDS", 0.2)
        patch.setattr("orrery.planning.process.FUSE_FACTOR", 0.0)
        real = fast_downward.binary()
        planner(HANGS)
        result = orrery(ferry, "solve", "ferry", "--jobs", "1")
        assert result.exit_code == 3
        assert "downward: has not ended in 0 s by the clock" in result.stderr
        assert not (ferry / "outputs" / "solutions").exists()
    monkeypatch.setattr(fast_downward, "binary", lambda: real)
    assert solved(ferry) == expected


@pytest.mark.skipif(os.name != "posix", reason="nothing is locked elsewhere")
def test_a_second_run_of_a_stage_is_refused_and_the_first_is_not_disturbed(ferry, planner, tmp_path):
    expected = solved(ferry)
    real, told, go = fast_downward.binary(), tmp_path / "told", tmp_path / "go"
    planner(f'touch "{told}"; while [ ! -e "{go}" ]; do sleep 0.05; done; exec "{real}" "$@"')
    shutil.rmtree(ferry / "outputs" / "solutions")
    with ThreadPoolExecutor(1) as other:
        first = other.submit(solved, ferry)
        try:
            while not told.exists() and not first.done():
                time.sleep(0.02)
            code, said = run(ferry, "solve", "ferry", "--jobs", "1")
        finally:
            go.touch()
        assert code == 3
        assert "orrery solve: another command is running on" in said
        assert first.result() == expected


def built(folder, jobs="1"):
    """The bytes of what all stages of the domains write in a new checkout."""
    root = checkout(folder, DOMAINS)
    for name in DOMAINS:
        for stage in STAGES:
            must(root, stage, name, "--jobs", jobs)
    return made(root)


def made(root):
    return contents(root / "outputs")


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """The same, by a build that nothing disturbs."""
    return built(tmp_path_factory.mktemp("calm"))


def seen(root):
    """What is made, without the notes of a build, which DVC does not see either."""
    return {name: data for name, data in made(root).items() if not name.startswith(".")}


def working_in(root):
    """The processes whose working folder is a checkout."""
    folders = Path("/proc").glob("[0-9]*/cwd")

    def is_there(folder):
        try:
            return folder.readlink() == root
        except OSError:
            return False

    return [folder.parent.name for folder in folders if is_there(folder)]


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc; elsewhere stages are not forked")
def test_builds_that_are_killed_leave_nobody_and_cost_time_only(calm, tmp_path):
    """The stages and their workers, which are forks, end with them, and hold nothing that the next needs."""
    root, rng = checkout(tmp_path, DOMAINS).resolve(), Random(16)
    (root / ".dvc").mkdir()
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    first = {name: stages[name] for name in ("generate", "solve", "generate-tasks")}
    for stage in first.values():  # the code does not lie in this checkout
        stage["deps"] = [path for path in stage["deps"] if not path.startswith("pipeline/")]
    with (root / "params.yaml").open("a") as params:
        params.write("held_out: {configurations: {}, domains: []}\n")
    (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": first}, sort_keys=False))
    command, kills = [sys.executable, "-m", "orrery", "build"], 0
    while kills < KILLED_BUILDS:
        with subprocess.Popen(command, cwd=root, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(rng.uniform(1.0, 12.0))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                kills += 1
        end = time.monotonic() + 2
        while (left := working_in(root)) and time.monotonic() < end:
            time.sleep(0.05)
        assert left == []
        if process.returncode != -signal.SIGKILL:  # it was quicker than the kill: from the start again
            assert seen(root) == calm
            for path in (root / "outputs", root / ".dvc" / "cache"):
                shutil.rmtree(path)
            (root / "dvc.lock").unlink()
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert ended.stderr.splitlines()[-1].startswith("error: outputs/dataset: is not a dataset")
    assert seen(root) == calm


@pytest.mark.exhaustive
def test_eight_busy_processes_change_nothing(calm, tmp_path):
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        assert built(tmp_path, jobs="3") == calm
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.exhaustive
def test_a_planner_that_waits_changes_nothing(tmp_path, monkeypatch):
    """The planner is asked for most problems and waits for longer than its limit of processor time."""

    def solutions(folder):
        root = checkout(folder, DOMAINS)
        params = root / "params.yaml"
        spoil(params, "max_states: 20000", "max_states: 40, seconds: 1")
        for name in DOMAINS:
            for stage in ("generate", "solve"):
                must(root, stage, name, "--jobs", "1")
        return made(root)

    expected = solutions(tmp_path / "quick")
    waiting, calls = tmp_path / "downward", tmp_path / "calls"
    waiting.write_text(f'#!/bin/sh\necho >> "{calls}"\nsleep 1.5\nexec "{fast_downward.binary()}" "$@"\n')
    waiting.chmod(0o755)
    monkeypatch.setattr(fast_downward, "binary", lambda: waiting)
    assert solutions(tmp_path / "slow") == expected
    assert len(calls.read_text().splitlines()) > 5
