"""A build that is killed again and again, or runs on a busy or a slow machine, makes the same bytes."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
from contextlib import contextmanager
from random import Random

import pytest

from orrery.planners import fast_downward
from tests.checkout import STAGES, checkout, contents, must

DOMAINS = ("ferry", "blocksworld")
KILLS = 100
COMMAND = (sys.executable, "-c", "from orrery.cli.main import app; app()")

pytestmark = pytest.mark.exhaustive


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


def test_a_hundred_kills_cost_time_only(calm, tmp_path):
    root, rng, kills = checkout(tmp_path, DOMAINS), Random(15), 0
    steps = [(stage, name) for name in DOMAINS for stage in STAGES]
    while kills < KILLS:
        stage, name = steps[kills % len(steps)]
        if stage != "generate" and not (root / "outputs" / "problems" / name).exists():
            must(root, "generate", name)
        if stage in ("render", "ask", "pose") and not (root / "outputs" / "solutions" / name).exists():
            must(root, "solve", name)
        command = [*COMMAND, stage, name, "--jobs", "2", "--root", str(root)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(rng.uniform(0.3, 4.0))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                kills += 1
            else:
                assert process.returncode == 0
                kills += 1  # it was quicker than the kill
    for stage, name in steps:
        must(root, stage, name, "--jobs", "1")
    assert made(root) == calm


def spin(stop):
    while not stop.is_set():
        pass


@contextmanager
def busy_loops(count):
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    loops = [context.Process(target=spin, args=(stop,), daemon=True) for _ in range(count)]
    for loop in loops:
        loop.start()
    try:
        yield
    finally:
        stop.set()
        for loop in loops:
            loop.join()


def test_eight_busy_loops_beside_change_nothing(calm, tmp_path):
    with busy_loops(8):
        assert built(tmp_path, jobs="3") == calm


def test_a_slow_planner_changes_nothing(tmp_path, monkeypatch):
    """With so few states that the planner is asked for most; it sleeps for longer than it may work."""

    def solved(folder):
        root = checkout(folder, DOMAINS)
        params = root / "params.yaml"
        params.write_text(params.read_text().replace("max_states: 20000", "max_states: 40, seconds: 1"))
        for name in DOMAINS:
            for stage in ("generate", "solve"):
                must(root, stage, name, "--jobs", "1")
        return made(root)

    quick = solved(tmp_path / "quick")
    slow, called = tmp_path / "downward", tmp_path / "called"
    slow.write_text(f'#!/bin/sh\necho >> "{called}"\nsleep 1.5\nexec "{fast_downward.binary()}" "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setattr(fast_downward, "binary", lambda: slow)
    assert solved(tmp_path / "slow") == quick
    assert len(called.read_text().splitlines()) > 5
