"""A command does the same as a fork of what has imported it as by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from orrery.stages.fork_server import ForkServer, runs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

READY_SECONDS = 120.0


@pytest.fixture(scope="module")
def server():
    server, end = ForkServer(), time.monotonic() + READY_SECONDS
    while not server.is_ready():
        assert time.monotonic() < end, "the server never was ready"
        time.sleep(0.05)
    return server


def forked(server, command, cwd, env):
    """Return the exit code of a command, and what it said."""
    with tempfile.TemporaryFile() as output:
        code = server.start(command, output.fileno(), cwd, env).wait()
        output.seek(0)
        return code, output.read().decode()


def by_itself(command, cwd, env):
    ran = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=cwd, env=env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return ran.returncode, ran.stdout


@pytest.mark.parametrize(
    ("command", "more", "code"),
    [
        ("orrery --version", {}, 0),
        ("orrery size", {}, 3),  # there is no params.yaml
        ("orrery no-such-command", {}, 2),
        ("orrery generate ferry", {"ORRERY_JOBS": "many"}, 2),
    ],
)
def test_it_says_and_returns_the_same(server, tmp_path, command, more, code):
    found = forked(server, command, tmp_path, os.environ | more)
    assert found == by_itself(command, tmp_path, os.environ | more)
    assert found[0] == code


def test_it_leads_a_group_that_can_be_killed(server, tmp_path):
    with tempfile.TemporaryFile() as output:
        command = server.start("orrery demo-model --port 0", output.fileno(), tmp_path, os.environ)
        assert os.getpgid(command.pid) == command.pid
        os.killpg(command.pid, signal.SIGKILL)
        assert command.wait() == -signal.SIGKILL


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ("orrery solve", True),
        ("orrery publish --to outputs/published", True),
        ("orrery solve && orrery ask", False),
        ("orrery solve > log", False),
        ("orrery query 'select 1'", False),
        ("orrery solve $HOME", False),
        ("ORRERY_JOBS=1 orrery solve", False),
        ("python -m orrery solve", False),
        ("orrery-extra solve", False),
        ("orrery", False),
    ],
)
def test_what_a_shell_would_read_is_left_to_a_shell(command, plain):
    assert runs(command) is plain
