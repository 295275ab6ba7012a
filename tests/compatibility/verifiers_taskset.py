"""Our taskset in the real ``verifiers`` from 0.4 on: ``vf-eval orrery``, asked of a scripted model.

Needs the packages of ``verifiers.txt`` beside this file and ``orrery``;
``tests/training/test_real_packages.py`` runs it. Prints what was found as one line of JSON, and fails where
a reward is another than that of the model's reply.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from itertools import islice
from pathlib import Path

import orrery
from orrery.demo_model import ScriptedReplies, serving

TABLE, DOMAIN, COUNT = "acp_app_bool", "ferry", 12


def main() -> int:
    """Run the command."""
    assert {"OrreryTaskset", "OrreryHarness"} <= set(orrery.__all__)
    items = list(islice(orrery.tasks(TABLE, DOMAIN, seed=4, split="train"), COUNT))
    replies = ScriptedReplies(items, right=0.6)
    wanted = {item.row["id"]: item.score(replies.reply(item.prompt)).value for item in items}
    assert 0 < sum(wanted.values()) < COUNT
    where = Path(sys.executable).parent
    paths = {"DEMO_KEY": "any", "PATH": f"{where}{os.pathsep}{os.environ['PATH']}"}
    with serving(replies) as server, tempfile.TemporaryDirectory() as folder:
        options = {
            "--env.taskset.table": TABLE,
            "--env.taskset.domain": DOMAIN,
            "--env.taskset.seed": "4",
            "--env.agent.runtime.type": "subprocess",
            "-n": str(COUNT),
            "--model": "demo",
            "--client.base-url": server.url,
            "--client.api-key-var": "DEMO_KEY",
            "-o": folder,
        }
        arguments = [part for pair in options.items() for part in pair]
        command = [str(where / "vf-eval"), "orrery", *arguments, "--no-push", "--no-rich"]
        run = subprocess.run(command, cwd=folder, env=os.environ | paths, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr[-4000:]
        assert len(server.asked) == COUNT
        assert all("tools" not in body or not body["tools"] for body in server.asked)  # a plain conversation
        (file,) = Path(folder).glob("*/traces.jsonl")
        episodes = [json.loads(line) for line in file.read_text().splitlines()]
    traces = {episode["task"]["data"]["id"]: episode["traces"][0] for episode in episodes}
    assert {name: trace["rewards"]["right"]["score"] for name, trace in traces.items()} == wanted
    assert {name: trace["metrics"]["unparsed"] for name, trace in traces.items()} == {
        name: 1.0 - value for name, value in wanted.items()
    }
    mean = sum(wanted.values()) / COUNT
    print(json.dumps({"verifiers": version("verifiers"), "rollouts": len(traces), "reward": mean}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
