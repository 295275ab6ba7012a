"""The solver for Inspect: asks, and answers replies that are not right as often as the task says (EC_k)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from anyio import to_thread
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from orrery.evaluation.asked import AskedTable

# There are none: Inspect would ask a model that calls one again and again.
NO_TOOLS: Literal["none"] = "none"

# Takes the state of a sample, Inspect's own way to ask the model, and how many replies there were before;
# returns the reply, or None where none was got.
Replier: TypeAlias = Callable[[TaskState, Generate, int], Awaitable[str | None]]


@solver
def corrected(
    table: AskedTable, replier: Replier | None = None, done: Callable[[], object] | None = None
) -> Solver:
    """Return the solver of a table's samples: EC_k of Text2World, with the k of ``table``.

    Args:
        table: the items, by the ids of the samples.
        replier: gets a reply; the model that Inspect was given, unless named.
        done: called when a conversation is over.
    """
    ask = replier or _generated

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        row_id, replies = str(state.sample_id), list[str]()
        while (reply := await ask(state, generate, len(replies))) is not None:
            replies.append(reply)
            # In a thread: a proof may take seconds, in which other samples go on.
            answer = await to_thread.run_sync(table.answer, row_id, tuple(replies)) if table.turns else ""
            if not answer:
                break
            state.messages.append(ChatMessageUser(content=answer))
        if done:
            done()
        return state

    return solve


async def _generated(state: TaskState, generate: Generate, _: int) -> str:
    """Return the reply of the model to the messages of a state, which it is added to."""
    state_after = await generate(state, tool_calls=NO_TOOLS)
    return state_after.output.completion


def as_messages(messages: list[dict[str, str]]) -> list[ChatMessage]:
    """Return messages as Inspect has them."""
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[message["role"]](content=message["content"]) for message in messages]


def as_plain(messages: list[ChatMessage]) -> list[dict[str, str]]:
    """Return messages of Inspect as roles and texts."""
    return [{"role": message.role, "content": message.text} for message in messages]
