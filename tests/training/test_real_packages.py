"""Training in the real packages, each in an environment of its own, with our wheel.

The environments are kept beside the packages of this Python, by what is required; making them takes minutes,
and the package registry.
"""

import hashlib
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.checkout import STAGES, checkout, must
from tests.compatibility import world_episode
from tests.every_domain import ROOT
from tests.test_wheel import built

SCRIPTS = ROOT / "tests" / "compatibility"
KEPT = Path(sys.prefix) / "compatibility"
UNREACHABLE = (
    "NewConnectionError",
    "Temporary failure in name resolution",
    "Connection refused",
    "timed out",
)
CASES = [  # requirements and script
    ("trl", "trl_trainers"),
    ("trl", "trl_worlds"),
    ("reasoning_gym", "reasoning_gym_datasets"),
    ("gymnasium", "gymnasium_worlds"),
    ("verifiers", "verifiers_taskset"),
    ("verifiers", "verifiers_world_tasks"),
    ("verifiers_environments", "verifiers_environment"),
    ("verifiers_environments", "verifiers_worlds"),
    ("verifiers_last_environments", "verifiers_environment"),
    ("verifiers_last_environments", "verifiers_worlds"),
]


def run(*command, cwd):
    """A command that finds neither our folders nor any hub."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HOME": str(cwd / "hub")}
    return subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True)


def installed(python, *packages, cwd):
    done = run(python, "-m", "pip", "install", "--quiet", *packages, cwd=cwd)
    if done.returncode and any(sign in done.stderr for sign in UNREACHABLE):
        pytest.skip(f"the package registry cannot be reached: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


def environment_of(name, wheel, folder):
    """The Python of an environment with the required packages, and with this wheel."""
    required = SCRIPTS / f"{name}.txt"
    requirements = required.read_text() + (SCRIPTS / "library.txt").read_text()
    home = KEPT / f"{name}-{hashlib.sha256(requirements.encode()).hexdigest()[:12]}"
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        venv.create(home, with_pip=True, clear=True)
        installed(python, "--requirement", required, cwd=folder)
        (home / "ready").touch()
    installed(python, "--no-deps", "--force-reinstall", wheel, cwd=folder)
    return python


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "script"), CASES)
def test_it_runs_in_the_real_package(name, script, wheel, tmp_path):
    python = environment_of(name, wheel, tmp_path)
    done = run(python, SCRIPTS / f"{script}.py", *files_for(script, tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    found = json.loads(done.stdout.strip().splitlines()[-1])
    print(found)
    if "world" in script:  # the same episode through every adapter
        assert found["transcript"] == world_episode.checked(world_episode.played())


def files_for(script, folder):
    """What TRL learns from beside our sets: a file as ``orrery export sft`` writes it."""
    if script != "trl_trainers":
        return []
    root = checkout(folder, ("blocksworld",))
    for stage in STAGES:
        must(root, stage, "blocksworld")
    must(root, "describe-domains")
    must(root, "assemble")
    file = folder / "sft.jsonl"
    must(root, "export", "sft", "--table", "text_to_pddl", "--split", "train", "--out", file)
    return [file]
