"""Tasks for Inspect, one per table with prompts: ``inspect eval orrery/<table> --model ...``.

Inspect finds them by importing this module (entry point ``inspect_ai`` of the package), which registers a
task for every table of the families. Nothing is read before a task is requested.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # exception that Inspect prints without a traceback
from inspect_ai._util.package import get_installed_package_name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from rich.markup import escape

from orrery.evaluation import world_tasks  # noqa: F401  registers the tasks of worlds
from orrery.evaluation.asked import AskedTable, facts_of
from orrery.installation import find_root
from orrery.library.choice import DATASET, RowSelection, asking_tables, items_of
from orrery.model import OrreryError
from orrery.scoring.scorer import UNDECIDED

BY_DOMAIN = "domain"


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


def _register(table: str) -> None:
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
        try:
            choice = RowSelection(
                dataset, split, seed, domain, difficulty, style, representation, shots, limit
            )
            items = items_of(choice, table, find_root().absolute())
        except OrreryError as error:
            raise PrerequisiteError(f"ERROR: {escape(str(error))}") from error
        return inspect_task(AskedTable(table, items, choice.part, turns))


# Inspect adds the name of the package, except for an editable installation whose distribution has
# another name.
_PREFIX = "" if get_installed_package_name(_register) else "orrery/"
for _table in asking_tables():
    _register(_table)
