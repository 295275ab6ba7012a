"""A taskset of ``verifiers`` from release 0.4 on: ``vf-eval orrery``.

Older releases have environments instead: see ``verifiers_environment``. This module needs the package.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import count, islice
from typing import Any, ClassVar

import verifiers.v1 as vf
from pydantic import Field
from verifiers.v1.harnesses.null import NullHarness

from orrery.grading import Score
from orrery.library.fresh_rows import WORLD
from orrery.library.items import USUAL
from orrery.library.worlds import opening, total_reward, world, world_set
from orrery.scoring.scorer import UNDECIDED
from orrery.training.examples import example, table_items
from orrery.training.rewards import UNPARSED, Reward
from orrery.worlds.episode import EndReason, World

EPISODES_KEPT = 64
SCORES_KEPT = 64


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


class OrreryTaskConfig(vf.TaskConfig):
    """The rewards of replies: the arguments ``undecided`` and ``format_share`` of ``orrery.Reward``."""

    undecided: float = 0.0
    format_share: float = 0.0


class OrreryTasksetConfig(vf.TasksetConfig):
    """The selection of items: the arguments of ``orrery.tasks``, or of ``orrery.load`` if a dataset is given.

    The default split is ``train``, for fresh items and for a dataset. For the table ``world``, the tasks are
    worlds to act in, and ``rules`` has further arguments of ``orrery.world``.
    """

    table: str = "acp_app_gen"
    domain: str | None = None
    difficulty: str | None = None
    kind: str | None = None
    style: str = USUAL
    split: str = "train"
    seed: int = 0
    dataset: str | None = None
    items: int | None = None
    rules: dict[str, Any] = Field(default_factory=dict)
    task: OrreryTaskConfig = OrreryTaskConfig()


class OrreryData(vf.TaskData):
    """The prompt of an item, with its table and its row as JSON; of a world, the row has its arguments."""

    table: str
    row: str


@lru_cache(maxsize=SCORES_KEPT)
def _scored(reply: str | None, row: str) -> Score:
    """Return the score of a reply, computed once for the reward and both metrics."""
    return Reward().score(reply, row)


class OrreryTask(vf.Task[OrreryData, vf.State, OrreryTaskConfig]):
    """An item as a single-turn task, or a world. Its key is its id, so that a run can be resumed."""

    @property
    def key(self) -> str:
        """The id of the row, which is the same in every run."""
        return f"{self.data.table}/{self.data.id}"

    async def _score(self, trace: Any) -> Score:
        # In a thread, because proofs take time and other rollouts continue.
        return await asyncio.to_thread(_scored, trace.last_reply, self.data.row)

    @vf.reward
    async def right(self, trace: Any) -> float:
        """Return the reward of the last reply, or of the episode in a world."""
        if self.data.table == WORLD:
            return total_reward(transcript_of(self.data.row, trace))
        policy = Reward(undecided=self.config.undecided, format_share=self.config.format_share)
        return policy.value(await self._score(trace)) or 0.0

    @vf.metric
    async def unparsed(self, trace: Any) -> float:
        """Return 1.0 if no answer can be read, or if an episode ended for that; otherwise 0.0."""
        if self.data.table == WORLD:
            return float(transcript_of(self.data.row, trace)["reason"] == EndReason.INVALID)
        return float((await self._score(trace)).verdict == UNPARSED)

    @vf.metric
    async def undecided(self, trace: Any) -> float:
        """Return 1.0 if the reply is undecided, otherwise 0.0."""
        if self.data.table == WORLD:
            return 0.0
        return float((await self._score(trace)).verdict == UNDECIDED)


class OrreryHarness(NullHarness):
    """A plain conversation without tools: the default harness of the tasks."""


class OrreryTaskset(vf.Taskset[OrreryTask, OrreryTasksetConfig]):
    """The items of a table: fresh ones without end, or those of a dataset."""

    INFINITE: ClassVar[bool] = True

    @property
    def bounded(self) -> bool:
        """Whether the number of tasks is finite: for a dataset, or if ``items`` or a selection limits it."""
        ends = self.config.dataset is not None or self.config.items is not None
        return ends if self._bounded is None else self._bounded

    def load(self) -> Iterator[OrreryTask]:
        """Yield the tasks.

        Raises:
            UsageError: the table, domain, difficulty, kind, style, split or folder does not exist.
        """
        if self.config.table == WORLD:
            yield from (OrreryTask(OrreryData(**data), self.config.task) for data in world_data(self.config))
            return
        config = self.config
        items = table_items(
            config.table, config.domain, config.difficulty, config.seed, config.kind, config.style,
            config.split, config.dataset,
        )  # fmt: skip
        for item in islice(items, config.items):
            system, user = item.prompt
            shown_example = example(item)
            yield OrreryTask(
                OrreryData(
                    id=shown_example["id"],
                    name=item.table,
                    system_prompt=system["content"],
                    prompt=user["content"],
                    table=item.table,
                    row=shown_example["row"],
                ),
                self.config.task,
            )
