"""The server with clients of the real packages, each in an environment of its own, with our wheel."""

import json
import sys

import pytest

from tests.training.test_real_packages import SCRIPTS, environment_of, run, wheel

__all__ = ["wheel"]
NEMO_GYM_NEEDS = (3, 13, 14)


@pytest.mark.exhaustive
def test_the_client_of_openenv(wheel, tmp_path):
    python = environment_of("openenv", wheel, tmp_path)
    done = run(python, SCRIPTS / "openenv_client.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert json.loads(done.stdout.strip().splitlines()[-1])["replies"] > 50


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.version_info < NEMO_GYM_NEEDS, reason="NeMo Gym 0.7 requires Python 3.13.14")
def test_the_simple_agent_of_nemo_gym(wheel, tmp_path):
    python = environment_of("nemo_gym", wheel, tmp_path)
    command = ("-m", "orrery", "serve", "nemo-gym", "--out", tmp_path, "--domain", "ferry", "--rows", "2")
    written = run(python, *command, cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    done = run(python, SCRIPTS / "nemo_gym_server.py", tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert json.loads(done.stdout.strip().splitlines()[-1])["reward"] == 1.0
