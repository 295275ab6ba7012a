"""Worlds for releases of ``verifiers`` with environments: ``load_environment("world", "ferry")``.

Those are 0.1 to 0.3; for later ones see ``verifiers_taskset``. This module needs the package.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import verifiers as vf

from orrery.library.worlds import WorldSet, opening, total_reward, world_set
from orrery.training.rewards import text_of
from orrery.worlds.episode import EndReason

SPLITS = ("train", "test")  # for training and for evaluation


class VerifiersWorlds(vf.MultiTurnEnv):
    """Episodes in worlds: each reply of the model is read as an action or a question.

    The reward is the sum of the rewards of the turns. The state has the ``transcript`` of the world.
    """

    def __init__(self, worlds: Mapping[str, WorldSet], **options: Any) -> None:
        """Set the worlds by split, and the options of ``MultiTurnEnv``."""
        super().__init__(**options)
        self.worlds = worlds

    async def setup_state(self, state: Any, **_: Any) -> Any:
        """Start the episode of an example, in a thread, because drawing a problem takes time."""
        about = json.loads(state["info"]) if isinstance(state["info"], str) else state["info"]
        state["world"] = await asyncio.to_thread(self.worlds[about["split"]].world, about["number"])
        state["transcript"] = state["world"].transcript()
        return state

    async def env_response(self, messages: Any, state: Any, **_: Any) -> Any:
        """Return the message of the world after a reply; the last one ends the conversation."""
        turn = state["world"].step(text_of(messages) or "")
        state["transcript"], state["counts"] = state["world"].transcript(), dict(turn.info)
        message: Any = getattr(vf, "UserMessage", partial(dict, role="user"))  # older releases have dicts
        response = [message(content=turn.observation)]
        if turn.done:
            state["final_env_response"] = response
        return response

    @vf.cleanup
    async def drop_world(self, state: Any) -> None:
        """Remove the world, which is no JSON value, from the state."""
        state.pop("world", None)


def world_episodes(
    domain: str | None, difficulty: str | None, kind: str | None, seed: int, items: int, eval_items: int,
    rules: Mapping[str, Any], **options: Any,
) -> VerifiersWorlds:  # fmt: skip
    """Return the environment; the arguments and errors are those of ``load_environment``."""
    worlds = {split: world_set(domain, difficulty, seed, kind=kind, split=split, **rules) for split in SPLITS}
    counts = zip(("dataset", "eval_dataset"), SPLITS, (items, eval_items), strict=True)
    sets = {name: partial(_set, worlds[split], split, count) for name, split, count in counts}
    if not hasattr(vf, "DatasetBuilder"):  # since 0.1.10; older releases need finished sets
        sets = {name: make() for name, make in sets.items()}
    rubric = vf.Rubric(funcs=[episode_reward, goal, steps, invalid], weights=[1.0, 0.0, 0.0, 0.0])
    return VerifiersWorlds(worlds, rubric=rubric, **sets, **options)


async def episode_reward(state: Any) -> float:
    """Return the sum of the rewards of an episode."""
    return total_reward(state["transcript"])


async def goal(state: Any) -> float:
    """Return 1.0 if the goal is reached, otherwise 0.0."""
    return float(state["transcript"]["reason"] == EndReason.GOAL)


async def steps(state: Any) -> float:
    """Return the number of actions."""
    return float(state.get("counts", {}).get("steps", 0))


async def invalid(state: Any) -> float:
    """Return the number of replies that were no possible action."""
    return float(state.get("counts", {}).get("invalid_total", 0))


def _set(worlds: WorldSet, split: str, count: int) -> Any:
    """Return the first worlds of a set in the columns that ``verifiers`` reads."""
    from datasets import Dataset

    def row(number: int) -> dict[str, Any]:
        prompt = [{"role": "user", "content": opening(worlds.world(number))}]
        about = {"split": split, "number": number, "key": worlds.key(number)}
        return {"prompt": prompt, "answer": "", "info": about}

    return Dataset.from_list([row(number) for number in range(count)])
