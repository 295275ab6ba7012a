"""A command does the same as a fork of what has imported it as by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from orrery.stages.forked_commands import ForkServer, runs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

READY_SECONDS = 120.0


def until_ready(server):
    end = time.monotonic() + READY_SECONDS
    while not server.is_ready():
        assert time.monotonic() < end, "the server never was ready"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def server():
    server = ForkServer()
    until_ready(server)
    yield server
    server.close()


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


@pytest.fixture
def waiting(server, tmp_path):
    """A command that waits: it reads a pipe into which nobody writes."""
    os.mkfifo(tmp_path / "params.yaml")
    with tempfile.TemporaryFile() as output:
        command = server.start("orrery size small", output.fileno(), tmp_path, os.environ)
        yield command
        with suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)


def is_alive(process):
    """Whether a process runs that is no child of this one."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_it_leads_a_group_that_can_be_killed(waiting):
    assert os.getpgid(waiting.pid) == waiting.pid
    os.killpg(waiting.pid, signal.SIGKILL)
    assert waiting.wait() == -signal.SIGKILL


def test_many_that_begin_and_end_at_once_are_told_apart(server, tmp_path):
    commands = [("orrery --version", 0), ("orrery no-such-command", 2)] * 10
    with ThreadPoolExecutor(4) as threads, tempfile.TemporaryFile() as output:
        waits = [
            threads.submit(server.start(command, output.fileno(), tmp_path, os.environ).wait)
            for command, _ in commands
        ]
        assert [each.result() for each in waits] == [code for _, code in commands]


@pytest.mark.slow
def test_a_server_has_one_thread_and_imports_nothing_of_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "jinja2.py").write_text("raise SystemExit('of the working folder')")
    monkeypatch.chdir(tmp_path)
    with closing(ForkServer()) as server:
        until_ready(server)
        threads = list(Path(f"/proc/{server._process.pid}/task").iterdir())
        assert len(threads) == 1


@pytest.mark.slow
def test_what_a_server_ran_that_was_killed_ends_too(tmp_path):
    with closing(ForkServer()) as server, tempfile.TemporaryFile() as output:
        until_ready(server)
        os.mkfifo(tmp_path / "params.yaml")
        command = server.start("orrery size small", output.fileno(), tmp_path, os.environ)
        assert is_alive(command.pid)
        server._process.kill()
        assert command.wait() == -signal.SIGKILL
        end = time.monotonic() + 10
        while is_alive(command.pid) and time.monotonic() < end:
            time.sleep(0.02)
        assert not is_alive(command.pid)
        server._process.wait()
        assert not server.is_ready()
        with pytest.raises(OSError, match=r"ended|[Bb]roken pipe|reset"):
            server.start("orrery --version", output.fileno(), tmp_path, os.environ)


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
