"""Episodes in worlds with a model of Inspect: the conversation, and its scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anyio import to_thread
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolParams

from orrery.library.world_sets import total_reward
from orrery.worlds.action_tools import WorldTool, world_tools
from orrery.worlds.episode import EndReason, World

EPISODE = "episode"  # name in the store of a sample


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
