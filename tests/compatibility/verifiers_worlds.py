"""Our worlds in the real ``verifiers`` of a release with environments, played by a scripted model.

Needs the packages of ``verifiers_environments.txt`` beside this file and ``orrery``;
``tests/training/test_real_packages.py`` runs it. Prints what was found as one line of JSON, and fails where
the transcript is another than that of the world.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

import verifiers as vf
from verifiers.types import ClientConfig
from world_episode import DOMAIN, RULES, SEED, Repeating, checked, replies, reward

import orrery
from orrery.demo_model import serving


def main() -> int:
    """Evaluate on one world, and draw what is trained on."""
    environment = vf.load_environment(
        "orrery", table="world", domain=DOMAIN, seed=SEED, items=3, eval_items=1, rules=RULES
    )
    assert isinstance(environment, vf.MultiTurnEnv)
    os.environ["DEMO_KEY"] = "any"
    with serving(Repeating()) as server:
        client = ClientConfig(api_key_var="DEMO_KEY", api_base_url=server.url)
        columns = ["transcript"]
        run = environment.evaluate(client=client, model="demo", num_examples=1, state_columns=columns)
        (output,) = (asyncio.run(run) if asyncio.iscoroutine(run) else run)["outputs"]
        assert len(server.asked) == len(replies())
    digest = checked(output["transcript"])
    assert output["reward"] == reward()
    metrics = {name: output["metrics"][name] for name in ("goal", "steps", "invalid")}
    assert metrics == {"goal": 1.0, "steps": len(replies()) - 4.0, "invalid": 3.0}, metrics
    texts = [message["content"] for message in output["completion"] if message["role"] == "user"]
    assert texts == [turn["observation"] for turn in output["transcript"]["turns"]]
    trained = [json.dumps(prompt) for prompt in environment.get_dataset()["prompt"]]
    worlds = [orrery.world(DOMAIN, SEED + number, split="train") for number in range(3)]
    assert all(json.dumps(w.first_observation)[1:-1] in text for w, text in zip(worlds, trained, strict=True))
    print(json.dumps({"verifiers": vf.__version__, "metrics": metrics, "transcript": digest}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
