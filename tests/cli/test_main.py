"""The command line as a module."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.stages import build
from tests.every_domain import ROOT


def told(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.slow
def test_the_package_can_be_run_as_a_module():
    done = told(sys.executable, "-m", "orrery", "size", "nothing")
    command = told(sys.executable, "-c", "from orrery.cli.main import app; app()", "size", "nothing")
    assert done.returncode == command.returncode == 2
    assert done.stderr == command.stderr != ""
    assert "Usage: orrery " in told(sys.executable, "-m", "orrery", "--help").stdout


def test_a_build_that_is_stopped_says_that_it_goes_on(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "run", stopped)
    done = CliRunner().invoke(app, ["build", "--root", str(ROOT)])
    assert done.exit_code == 130
    assert done.stderr == "stopped; repeat the command to continue\n"


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], ["columns"], ["columns", "problems", "--json"]])
def test_an_output_that_nobody_reads_ends_as_in_shells(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "orrery", *arguments]
    with open(writing, "wb") as closed:
        done = subprocess.run(command, cwd=ROOT, stdout=closed, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_output_may_be_closed():
    command = 'exec "$0" -m orrery columns'
    assert told("bash", "-c", f"{command} >&-", sys.executable).returncode == 0
    assert told("bash", "-c", f"{command} 2>&-", sys.executable).stdout


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("sample fery", "ferry"),
        ("sample ferry --task random-to-randm", "random-to-random"),
        ("sample ferry --difficulty esy", "easy"),
        ("doctor fery", "ferry"),
        ("size smal", "small"),
        ("columns acp_ap_gen", "acp_app_gen"),
        ("tables --layout breakdown", "breakdowns"),
        ("score questons", "questions"),
        ("score questons replies.jsonl", "questions"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest_one(arguments, name):
    done = CliRunner().invoke(app, arguments.split())
    assert done.exit_code == 2
    assert f"did you mean '{name}'" in done.stderr
