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

from tests.checkout import checkout, must
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
CASES = {
    "trl": "trl_trainers",
    "reasoning_gym": "reasoning_gym_datasets",
    "verifiers": "verifiers_taskset",
    "verifiers_environments": "verifiers_environment",
    "verifiers_last_environments": "verifiers_environment",
}


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
@pytest.mark.parametrize("name", CASES)
def test_it_runs_in_the_real_package(name, wheel, tmp_path):
    python = environment_of(name, wheel, tmp_path)
    done = run(python, SCRIPTS / f"{CASES[name]}.py", *files_for(name, tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    print(json.loads(done.stdout.strip().splitlines()[-1]))


def files_for(name, folder):
    """What TRL learns from beside our sets: a file as ``orrery export sft`` writes it."""
    if name != "trl":
        return []
    root = checkout(folder, ("blocksworld",))
    for stage in ("generate", "render", "solve", "generate-questions", "generate-plan-tasks"):
        must(root, stage, "blocksworld")
    must(root, "describe-domains")
    must(root, "assemble")
    file = folder / "sft.jsonl"
    must(root, "export", "sft", "--table", "text_to_pddl", "--split", "train", "--out", file)
    return [file]
