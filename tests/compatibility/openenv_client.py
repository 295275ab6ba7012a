"""OpenEnv's own client in episodes of `orrery serve worlds`: transcripts, rewards, seeds, and refusals.

Needs the packages of ``openenv.txt`` beside this file and ``orrery``; ``tests/serve/test_real_packages.py``
runs it. Prints what was found as one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from openenv.core.env_server.types import ResetResponse, SchemaResponse, State, StepResponse
from openenv.core.generic_client import GenericEnvClient

import orrery

COMMAND = [
    str(Path(sys.executable).with_name("orrery")),
    "serve",
    "worlds",
    "--port",
    "0",
    "--domain",
    "ferry",
]


@contextmanager
def serving():
    """The address of the command, for the length of a block."""
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
        assert server.stderr.read() == "serve: press Ctrl-C to stop\n"


async def played(address, seed, **options):
    """The steps and the state of an episode that a client plays by shortest plans."""
    world = orrery.world("ferry", seed=seed, **options)
    async with GenericEnvClient(base_url=address) as client:
        start = await client.reset(seed=seed, episode_id=f"episode {seed}", **options)
        assert start.observation["text"] == world.first_observation
        steps = []
        while not world.done:
            for reply in ("dance", world.optimal_actions()[0]):
                expected, result = world.step(reply), await client.step({"reply": reply})
                assert (result.observation["text"], result.reward, result.done) == (
                    expected.observation, expected.reward, expected.done,
                )  # fmt: skip
                steps.append(
                    {"observation": result.observation, "reward": result.reward, "done": result.done}
                )
                await asyncio.sleep(0)
        state = await client.state()
    assert state["transcript"] == world.transcript()
    assert (state["episode_id"], state["reason"]) == (f"episode {seed}", "goal")
    State.model_validate(state)
    for step in steps:
        StepResponse.model_validate(step)
        ResetResponse.model_validate(step)
    return len(steps)


async def refused(address):
    """The messages of the client for requests that are not possible."""
    messages = []
    async with GenericEnvClient(base_url=address) as client:
        for ask in (client.step({"reply": "1"}), client.reset(domain="chess"), client.step({"move": 1})):
            try:
                await ask
            except RuntimeError as error:
                messages.append(str(error))
        assert (await client.reset(seed=1)).observation["seed"] == 1
    return messages


async def asked(address):
    counts = await asyncio.gather(*(played(address, seed, reward="shaped") for seed in range(8)))
    return {"replies": sum(counts), "refusals": await refused(address)}


def main() -> int:
    """Play eight episodes at once, one with the synchronous client, and ask for what is not possible."""
    with serving() as address:
        told = asyncio.run(asked(address))
        with GenericEnvClient(base_url=address).sync() as client:
            first, again = (client.reset(seed=3, difficulty="medium").observation["text"] for _ in range(2))
        assert first == again == orrery.world("ferry", seed=3, difficulty="medium").first_observation
    assert len(told["refusals"]) == 3
    assert all("VALIDATION_ERROR" in message for message in told["refusals"])
    from orrery.serve.openenv import SCHEMA

    SchemaResponse.model_validate({**SCHEMA})
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
