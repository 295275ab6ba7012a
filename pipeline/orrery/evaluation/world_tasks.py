"""Worlds as tasks of Inspect: ``inspect eval orrery/world_ferry --model ...``, and ``orrery/world`` for rows.

A model acts by its replies, or by calls of tools (``-T tools=true``). ``tasks`` imports this module, which
registers a task for each domain, with fresh worlds, and one for the table ``world`` of a dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # exception that Inspect prints without a traceback
from inspect_ai._util.package import get_installed_package_name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolParams
from rich.markup import escape

from orrery.catalog import Catalog
from orrery.installation import find_root
from orrery.library.choice import DATASET, RowSelection, items_of
from orrery.library.fresh_rows import WORLD
from orrery.library.world_sets import opening, total_reward, world_of_row, world_set
from orrery.model import OrreryError
from orrery.worlds.action_tools import WorldTool, world_tools
from orrery.worlds.episode import EndReason, World

EPISODE = "episode"  # name in the store of a sample
SAMPLES = 50  # fresh worlds of a task
Worlds: TypeAlias = Mapping[str, Callable[[], World]]  # by the ids of the samples


@solver
def acting(worlds: Mapping[str, Callable[[], World]], tools: bool = False) -> Solver:
    """Return the solver that plays an episode. The store of the sample has its transcript and its steps.

    Args:
        worlds: functions that make the worlds, by the ids of the samples.
        tools: whether the actions of the domain are offered as tools. A message without a call is read as a
            reply.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # In a thread, because drawing a problem takes time and other samples continue.
        played = await to_thread.run_sync(worlds[str(state.sample_id)])
        offered = world_tools(played.problem.domain, played.problem.words) if tools else ()
        state.tools = [_declared(tool) for tool in offered]
        while not played.done:
            # The world answers calls, wrong ones as well, so Inspect does not run tools.
            state = await generate(state, tool_calls="none")
            if state.output.empty:
                break
            state.messages += _answers(played, {tool.name: tool for tool in offered}, state.output.message)
            about = {"steps": played.steps_taken, "steps_at_best": played.steps_at_best}
            state.store.set(EPISODE, {**played.transcript(), **about})
        return state

    return solve


def _answers(
    played: World, tools: Mapping[str, WorldTool], message: ChatMessageAssistant
) -> list[ChatMessage]:
    """Return the answers of a world to a message: to each call of a tool, or otherwise to the text."""
    if not message.tool_calls:
        return [ChatMessageUser(content=played.step(message.text).observation)]
    answers = list[ChatMessage]()
    for call in message.tool_calls:
        tool = tools.get(call.function)
        turn = played.step(tool.reply(call.arguments) if tool else call.function)
        answers.append(
            ChatMessageTool(content=turn.observation, tool_call_id=call.id, function=call.function)
        )
    return answers


def _declared(tool: WorldTool) -> Tool:
    async def call(**kwargs: Any) -> str:
        raise NotImplementedError(f"the solver calls {tool.name}")

    return ToolDef(call, tool.name, tool.description, ToolParams.model_validate(tool.schema)).as_tool()


@scorer(
    metrics={"goal": [accuracy(), stderr()], "reward": [mean(), stderr()], "efficiency": [mean(), stderr()]}
)
def episode() -> Scorer:
    """Return the scorer of episodes.

    ``goal``: whether it is reached. ``reward``: the sum of the rewards. ``efficiency``: the length of a
    shortest plan over the number of actions taken, 0 without the goal.
    """

    async def score(state: TaskState, target: Target) -> Score:
        played = state.store.get(EPISODE)
        if played is None:
            return Score.unscored(reason="no reply")
        at_goal = played["reason"] == EndReason.GOAL
        values = {
            "goal": float(at_goal),
            "reward": total_reward(played),
            "efficiency": played["steps_at_best"] / played["steps"] if at_goal else 0.0,
        }
        about = {name: played[name] for name in ("reason", "steps", "steps_at_best")}
        return Score(value=values, explanation=played["reason"] or "not over", metadata=about)

    return score


def world_task(name: str, choose: Callable[[], Worlds], tools: bool) -> Task:
    """Return the task of some worlds.

    Raises:
        PrerequisiteError: the selection is not possible.
    """
    try:
        worlds = choose()
        samples = [
            Sample(id=key, input=opening(played := make()), metadata={"domain": played.problem.domain_name})
            for key, make in worlds.items()
        ]
    except OrreryError as error:
        raise PrerequisiteError(f"ERROR: {escape(str(error))}") from error
    dataset = MemoryDataset(samples, name=name)
    return Task(dataset=dataset, solver=acting(worlds, tools), scorer=episode(), name=name)


def fresh_worlds(domain: str, samples: int, **selection: Any) -> Worlds:
    """Return the first worlds of a selection by their keys."""
    worlds = world_set(domain, **selection)
    return {worlds.key(number): partial(worlds.world, number) for number in range(samples)}


def stored_worlds(choice: RowSelection, reward: str) -> Worlds:
    """Return the worlds of rows of a dataset by the ids of the rows."""
    items = items_of(choice, WORLD, find_root().absolute())
    return {item.row["id"]: partial(world_of_row, item.row, item.root, reward=reward) for item in items}


def _register(domain: str) -> None:
    """Register the task of a domain with Inspect."""

    @task(name=f"{_PREFIX}world_{domain}")
    def act(
        difficulty: str | None = None,
        seed: int = 0,
        kind: str | None = None,
        split: str | None = "test",
        samples: int = SAMPLES,
        tools: bool = False,
        reward: str = "sparse",
    ) -> Task:
        """Return the task of a domain: ``samples`` worlds with numbers from ``seed``, and a reward rule."""
        chosen = {"difficulty": difficulty, "seed": seed, "kind": kind, "split": split, "reward": reward}
        return world_task(f"world_{domain}", partial(fresh_worlds, domain, samples, **chosen), tools)


# As in ``tasks``, which is loaded with this module.
_PREFIX = "" if get_installed_package_name(_register) else "orrery/"
_CATALOG = Catalog(find_root())
for _domain in _CATALOG.names:
    if _CATALOG.entry(_domain).generator_file.is_file():
        _register(_domain)


@task(name=f"{_PREFIX}{WORLD}")
def act_in_rows(
    dataset: str = DATASET,
    split: str = "test",
    domain: str | None = None,
    difficulty: str | None = None,
    limit: int | None = None,
    tools: bool = False,
    reward: str = "sparse",
) -> Task:
    """Return the task of the rows of the table ``world``, and a reward rule."""
    choice = partial(RowSelection, dataset, split, None, domain, difficulty, limit=limit)
    return world_task(WORLD, lambda: stored_worlds(choice(), reward), tools)
