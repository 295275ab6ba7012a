"""Tasks for Inspect: ``inspect eval orrery/<table> --model ...``, and ``orrery/world_<domain>`` for worlds.

Inspect finds them by importing this module (entry point ``inspect_ai`` of the package). It registers a task
for every table with prompts, for the table ``world``, and for each domain, with fresh worlds. In a world, a
model acts by its replies, or by calls of tools (``-T tools=true``). Rows are read when a task is requested.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, TypeAlias

from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # exception that Inspect prints without a traceback
from inspect_ai._util.package import get_installed_package_name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolParams
from rich.markup import escape

from orrery.catalog import Catalog
from orrery.evaluation.asked import AskedTable, facts_of
from orrery.installation import find_root
from orrery.library.choice import DATASET, RowSelection, asking_tables, items_of
from orrery.library.fresh_rows import WORLD
from orrery.library.worlds import opening, total_reward, world_of_row, world_set
from orrery.model import OrreryError
from orrery.scoring.scorer import UNDECIDED
from orrery.worlds.action_tools import WorldTool, world_tools
from orrery.worlds.episode import EndReason, World

BY_DOMAIN = "domain"
EPISODE = "episode"  # name in the store of a sample
SAMPLES = 50  # fresh worlds of a task
Worlds: TypeAlias = Mapping[str, Callable[[], World]]  # by the ids of the samples


@scorer(
    metrics=[
        accuracy(),
        stderr(),
        grouped(accuracy(), BY_DOMAIN, all=False),
        grouped(stderr(), BY_DOMAIN, all=False, name_template="{group_name}_stderr"),
    ]
)
def graded(table: AskedTable) -> Scorer:
    """Return the scorer of a table's samples.

    Undecided replies are unscored in the sense of Inspect: stored and counted, but excluded from all metrics.

    Args:
        table: the items, by the ids of the samples.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        reply = None if state.output.empty else state.output.completion
        if reply is None:
            return Score.unscored(reason="no reply")
        replies = [message.text for message in state.messages if message.role == "assistant"]
        grade = await to_thread.run_sync(table.score_of, str(state.sample_id), replies)
        metadata = {"verdict": grade.verdict, **grade.parts}
        if grade.verdict == UNDECIDED:
            return Score.unscored(reason=UNDECIDED, explanation=grade.detail, metadata=metadata)
        return Score(value=grade.value, answer=reply, explanation=grade.detail, metadata=metadata)

    return score


# There are no tools. Otherwise Inspect would send further requests to a model that calls one.
NO_TOOLS: Literal["none"] = "none"

# Arguments: the state of a sample, the function of Inspect that queries the model, and the number of earlier
# replies. Returns the reply, or None.
Replier: TypeAlias = Callable[[TaskState, Generate, int], Awaitable[str | None]]


@solver
def corrected(
    table: AskedTable, replier: Replier | None = None, done: Callable[[], object] | None = None
) -> Solver:
    """Return the solver of a table's samples: EC_k of Text2World, with the k of ``table``.

    Args:
        table: the items, by the ids of the samples.
        replier: supplies a reply (default: the model of Inspect).
        done: called when a conversation is over.
    """
    ask = replier or _generated

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        row_id, replies = str(state.sample_id), list[str]()
        while (reply := await ask(state, generate, len(replies))) is not None:
            replies.append(reply)
            # In a thread, because a proof may take seconds while other samples continue.
            answer = await to_thread.run_sync(table.answer, row_id, tuple(replies)) if table.turns else ""
            if not answer:
                break
            state.messages.append(ChatMessageUser(content=answer))
        if done:
            done()
        return state

    return solve


async def _generated(state: TaskState, generate: Generate, _: int) -> str:
    """Return the reply of the model to the messages of a state, and add it to the state."""
    state_after = await generate(state, tool_calls=NO_TOOLS)
    return state_after.output.completion


def as_messages(messages: list[dict[str, str]]) -> list[ChatMessage]:
    """Return messages as objects of Inspect."""
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[message["role"]](content=message["content"]) for message in messages]


def as_plain(messages: list[ChatMessage]) -> list[dict[str, str]]:
    """Return messages of Inspect as roles and texts."""
    return [{"role": message.role, "content": message.text} for message in messages]


def inspect_task(
    table: AskedTable, replier: Replier | None = None, done: Callable[[], object] | None = None
) -> Task:
    """Return the task with the items of a table and their scorer.

    Args:
        table: the items.
        replier: supplies a reply (default: the model of Inspect).
        done: called when a conversation is over.
    """
    samples = [
        Sample(
            id=row_id,
            input=as_messages(table.messages(row_id)),
            target=table.gold(row_id),
            metadata=facts_of(item, table.part),
        )
        for row_id, item in table.items.items()
    ]
    dataset = MemoryDataset(samples, name=table.name)
    solver = corrected(table, replier, done)
    return Task(dataset=dataset, solver=solver, scorer=graded(table), name=table.name)


@solver
def acting(worlds: Worlds, tools: bool = False) -> Solver:
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
    with _errors_of_inspect():
        worlds = choose()
        samples = [
            Sample(id=key, input=opening(played := make()), metadata={BY_DOMAIN: played.problem.domain_name})
            for key, make in worlds.items()
        ]
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


@contextmanager
def _errors_of_inspect() -> Iterator[None]:
    """Convert errors of a selection to those of Inspect, which prints them without a traceback."""
    try:
        yield
    except OrreryError as error:
        raise PrerequisiteError(f"ERROR: {escape(str(error))}") from error


def _register_table(table: str) -> None:
    """Register the task of a table with Inspect."""

    @task(name=f"{_PREFIX}{table}")
    def ask(
        dataset: str = DATASET,
        split: str = "test",
        seed: int | None = None,
        domain: str | None = None,
        difficulty: str | None = None,
        style: str | None = None,
        representation: str | None = None,
        shots: int | None = None,
        limit: int | None = None,
        turns: int = 0,
    ) -> Task:
        """Return the task of a table. For arguments other than ``turns`` see ``RowSelection``.

        ``turns`` is the k of EC_k: the maximum number of corrections per row.
        """
        with _errors_of_inspect():
            choice = RowSelection(
                dataset, split, seed, domain, difficulty, style, representation, shots, limit
            )
            items = items_of(choice, table, find_root().absolute())
        return inspect_task(AskedTable(table, items, choice.part, turns))


def _register_domain(domain: str) -> None:
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


# Inspect adds the name of the package, except for an editable installation whose distribution has
# another name.
_PREFIX = "" if get_installed_package_name(inspect_task) else "orrery/"
for _table in asking_tables():
    _register_table(_table)
_CATALOG = Catalog(find_root())
for _domain in _CATALOG.names:
    if _CATALOG.entry(_domain).generator_file.is_file():
        _register_domain(_domain)


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
