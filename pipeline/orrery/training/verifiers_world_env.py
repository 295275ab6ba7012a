"""Worlds for ``verifiers`` from release 0.4 on: ``vf-eval orrery --env.taskset.table world``.

Older releases have environments instead: see ``verifiers_worlds``. This module needs the package.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import count, islice
from typing import Any

import verifiers.v1 as vf

from orrery.library.fresh_rows import WORLD
from orrery.library.world_sets import opening, world_set
from orrery.library.worlds import world
from orrery.worlds.episode import World

EPISODES_KEPT = 64


class OrreryEnv(vf.SingleAgentEnv):
    """The environment of ``OrreryTaskset``: worlds answer the replies, other tasks are single-turn."""

    async def run(self, task: Any, agents: Any) -> None:
        """Play an episode; the trace has its ``transcript``."""
        if task.data.table != WORLD:
            await super().run(task, agents)
            return
        # In a thread, because drawing a problem takes time and other rollouts continue.
        played = await asyncio.to_thread(_world, task.data.row)
        async with agents.agent.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                turn = played.step(segment.last_reply)
                interaction.trace.info["transcript"] = played.transcript()
                if turn.done:
                    break
                segment = await interaction.turn(turn.observation)


def world_data(config: Any) -> Iterator[dict[str, Any]]:
    """Yield the data of tasks, by a configuration of the taskset.

    Raises:
        UsageError: the domain, difficulty, kind, split or a rule does not exist.
    """
    rules = {"kind": config.kind, "split": config.split, **config.rules}
    worlds = world_set(config.domain, config.difficulty, config.seed, **rules)
    for number in islice(count(), config.items):
        key, row = worlds.key(number), json.dumps(worlds.arguments(number))
        yield {"id": key, "name": WORLD, "prompt": opening(worlds.world(number)), "table": WORLD, "row": row}


def transcript_of(row: str, trace: Any) -> dict[str, Any]:
    """Return the transcript of the model's replies in a trace, played again in the world of a row."""
    return _transcript(row, tuple((message.content or "").strip() for message in trace.assistant_messages))


@lru_cache(maxsize=EPISODES_KEPT)
def _transcript(row: str, replies: tuple[str, ...]) -> dict[str, Any]:
    played = _world(row)
    for reply in replies:
        played.step(reply)
    return played.transcript()


def _world(row: str) -> World:
    return world(**json.loads(row))
