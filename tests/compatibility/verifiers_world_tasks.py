"""Our worlds in the real ``verifiers`` from 0.4 on: ``vf-eval orrery``, played by a scripted model.

Needs the packages of ``verifiers.txt`` beside this file and ``orrery``;
``tests/training/test_real_packages.py`` runs it. Prints what was found as one line of JSON, and fails where
the transcript is another than that of the world.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from world_episode import DOMAIN, RULES, SEED, SPLIT, Repeating, checked, replies, reward

import orrery
from orrery.demo_model import serving


def main() -> int:
    """Run the command."""
    assert "OrreryEnv" in orrery.__all__
    where = Path(sys.executable).parent
    paths = {"DEMO_KEY": "any", "PATH": f"{where}{os.pathsep}{os.environ['PATH']}"}
    with serving(Repeating()) as server, tempfile.TemporaryDirectory() as folder:
        options = {
            "--env.taskset.table": "world",
            "--env.taskset.domain": DOMAIN,
            "--env.taskset.split": SPLIT,
            "--env.taskset.seed": str(SEED),
            "--env.taskset.rules": json.dumps(RULES),
            "--env.agent.runtime.type": "subprocess",
            "-n": "1",
            "--model": "demo",
            "--client.base-url": server.url,
            "--client.api-key-var": "DEMO_KEY",
            "-o": folder,
        }
        arguments = [part for pair in options.items() for part in pair]
        command = [str(where / "vf-eval"), "orrery", *arguments, "--no-push", "--no-rich"]
        run = subprocess.run(command, cwd=folder, env=os.environ | paths, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
        assert len(server.asked) == len(replies())
        (file,) = Path(folder).glob("*/traces.jsonl")
        (episode,) = [json.loads(line) for line in file.read_text().splitlines()]
    (trace,) = episode["traces"]
    assert episode["task"]["key"] == f"world/{DOMAIN}/easy/{SPLIT}/{SEED}"
    assert trace["rewards"]["right"]["score"] == reward()
    assert trace["metrics"]["unparsed"] == 0.0
    digest = checked(trace["info"]["transcript"])
    print(json.dumps({"verifiers": version("verifiers"), "reward": reward(), "transcript": digest}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
