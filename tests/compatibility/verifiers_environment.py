"""Our environment in the real ``verifiers`` of a release with environments, asked of a scripted model.

Needs the packages of ``verifiers_environments.txt`` beside this file and ``orrery``;
``tests/training/test_real_packages.py`` runs it. Prints what was found as one line of JSON, and fails where
a reward is another than that of the model's reply.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

import verifiers as vf
from verifiers.types import ClientConfig

import orrery
from orrery.demo_model import ScriptedReplies, serving
from orrery.training.verifiers_environment import APART

TABLE, DOMAIN, COUNT = "acp_app_bool", "ferry", 24


def main() -> int:
    """Evaluate on a stream, and draw what is trained on."""
    environment = vf.load_environment("orrery", table=TABLE, domain=DOMAIN, items=6, eval_items=COUNT)
    assert isinstance(environment, vf.SingleTurnEnv)
    stream = orrery.tasks(TABLE, DOMAIN, seed=APART, split="test")
    items = [stream.item(number) for number in range(COUNT)]
    replies = ScriptedReplies(items, right=0.7)
    wanted = {item.row["id"]: item.score(replies.reply(item.prompt)).value for item in items}
    assert 0 < sum(wanted.values()) < COUNT
    os.environ["DEMO_KEY"] = "any"
    with serving(ScriptedReplies(items, right=0.7)) as server:
        client = ClientConfig(api_key_var="DEMO_KEY", api_base_url=server.url)
        run = environment.evaluate(client=client, model="demo", num_examples=COUNT)
        outputs = (asyncio.run(run) if asyncio.iscoroutine(run) else run)["outputs"]
        assert len(server.asked) == COUNT
    for output in outputs:
        about = output["info"] if isinstance(output["info"], dict) else json.loads(output["info"])
        row = json.loads(about["row"])
        assert output["reward"] == wanted[row["id"]], (row["id"], output["reward"])
        assert output["metrics"]["unparsed"] == 1.0 - wanted[row["id"]]
    trained = environment.get_dataset()
    drawn = orrery.tasks(TABLE, DOMAIN, seed=0, split="train")
    ids = [
        json.loads((info if isinstance(info, dict) else json.loads(info))["row"])["id"]
        for info in trained["info"]
    ]
    assert ids == [drawn.item(number).row["id"] for number in range(6)]
    mean = sum(output["reward"] for output in outputs) / len(outputs)
    print(json.dumps({"verifiers": vf.__version__, "rollouts": len(outputs), "reward": mean}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
