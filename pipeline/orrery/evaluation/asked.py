"""The items of one table for a model: their properties, and the course of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from orrery.families.drafts import BOOL, MCQ, OPEN
from orrery.families.worlds.schemas import INSTRUCTION
from orrery.grading import RIGHT, UNPARSED, WRONG, Score
from orrery.library.choice import REPRESENTATIONS
from orrery.library.fresh_rows import WORLD
from orrery.library.items import Item
from orrery.library.worlds import world_of_row
from orrery.model import Row
from orrery.worlds.episode import EndReason, World
from orrery.worlds.world_problem import WorldProblem

PROBLEMS_KEPT = 64  # enough for the conversations that are open at once


def facts_of(item: Item, part: str) -> dict[str, Any]:
    """Return the columns of the table of scores that are known before a reply: the question and its prompt.

    ``part`` is the split of the row, or ``fresh``.
    """
    row = item.row
    return {
        "table": item.table,
        "split": part,
        "id": str(row["id"]),
        "domain": str(row.get("domain") or ""),
        "problem_id": row.get("problem_id"),
        "kind": str(row.get("kind") or _plan_task(row)),
        "format": _format(item),
        "representation": representation_of(item.style),
        "style": item.style,
        "difficulty": row.get("difficulty"),
        "plan_length": _plan_length(row),
        "objects": row.get("num_objects"),
        "explicitness": str(row.get("explicitness") or ""),
        "seen": str(row.get("seen") or ""),
    }


def representation_of(style: str) -> str:
    """Return the representation in prompts of a style: ``words``, unless its name ends in another one."""
    ending = style.rpartition("_")[2]
    return ending if ending in REPRESENTATIONS else REPRESENTATIONS[0]


def _plan_task(row: Row) -> str:
    """Return the plan task of a row with a group. In rows of problems, ``task`` is a generator task."""
    return str(row.get("task") or "") if "group" in row else ""


def _format(item: Item) -> str:
    """Return the format of a question, the suffix of its table's name."""
    suffix = item.table.rpartition("_")[2]
    return suffix if suffix in (OPEN, BOOL, MCQ) and item.row.get("kind") else ""


def _plan_length(row: Row) -> int | None:
    """Return the number of steps of the row's plan; None if the row or the problem has no plan."""
    if row.get("solvable") in (False, 0):
        return None
    stated, plan = row.get("plan_length"), row.get("plan")
    if stated is not None:
        return int(stated)
    return None if plan is None else len(plan)


SCORES_KEPT = 256  # enough for the conversations that are open at once


class AskedTable:
    """The items of a table by the ids of their rows.

    ``name`` is the table's name, ``part`` the split of the rows or ``fresh``, and ``turns`` the maximum
    number of corrections of a reply (k of EC_k).
    """

    def __init__(self, name: str, items: Iterable[Item], part: str, turns: int = 0) -> None:
        """Store the items in their order."""
        self.name, self.part, self.turns = name, part, turns
        self.items: Mapping[str, Item] = {str(item.row["id"]): item for item in items}
        # The score of a reply is needed at each later turn of its conversation, and for its row of scores.
        self.score: Callable[[str, str], Score] = lru_cache(maxsize=SCORES_KEPT)(self._score)

    def only(self, row_ids: Container[str]) -> AskedTable:
        """Return the table with the items of these rows."""
        items = (item for row_id, item in self.items.items() if row_id in row_ids)
        return type(self)(self.name, items, self.part, self.turns)

    def _score(self, row_id: str, reply: str) -> Score:
        return self.items[row_id].score(reply)

    def gold(self, row_id: str) -> str:
        """Return a right reply to a row."""
        return self.items[row_id].gold

    def score_of(self, row_id: str, replies: Sequence[str]) -> Score:
        """Return the score of a conversation, which is that of its last reply."""
        return self.score(row_id, replies[-1])

    def answer(self, row_id: str, replies: Sequence[str]) -> str:
        """Return the next message after some replies; empty if the conversation is over."""
        if len(replies) > self.turns:
            return ""
        return self.items[row_id].feedback(replies[-1], self.score(row_id, replies[-1]))

    def messages(self, row_id: str, replies: Sequence[str] = ()) -> list[dict[str, str]]:
        """Return the conversation up to the message that needs the model's next reply.

        The result is empty if the conversation is over.
        """
        conversation = list(self.items[row_id].prompt)
        for number, reply in enumerate(replies, 1):
            answer = self.answer(row_id, replies[:number])
            if not answer:
                return []
            conversation += [{"role": "assistant", "content": reply}, {"role": "user", "content": answer}]
        return conversation


class ActedTable(AskedTable):
    """The rows of the table ``world`` by their ids.

    The model acts until the episode is over. A right conversation reaches the goal; ``unparsed`` is one that
    ends after replies in a row that are no possible action. Messages are those of the dialogues of the rows.
    """

    def __init__(self, name: str, items: Iterable[Item], part: str, turns: int = 0) -> None:
        """Store the items; every episode has further turns, whatever ``turns`` is."""
        super().__init__(name, items, part, max(1, turns))
        self._problem: Callable[[str], WorldProblem] = lru_cache(maxsize=PROBLEMS_KEPT)(self._world_problem)

    def _world_problem(self, row_id: str) -> WorldProblem:
        item = self.items[row_id]
        return world_of_row(item.row, item.root).problem

    def _played(self, row_id: str, replies: Sequence[str]) -> tuple[World, str]:
        """Return the world after some replies, and its last observation."""
        world = World(self._problem(row_id))
        observation = world.first_observation
        for reply in replies:
            observation = world.step(reply).observation
        return world, observation

    def gold(self, row_id: str) -> str:
        """Return a shortest plan."""
        return "\n".join(self.items[row_id].row["plan"])

    def score_of(self, row_id: str, replies: Sequence[str]) -> Score:
        """Return the score of the replies of an episode; its parts have the ``efficiency``."""
        world, _ = self._played(row_id, replies)
        reason, best = world.reason, world.steps_at_best
        if reason == EndReason.GOAL:
            return Score(1.0, RIGHT, parts={"efficiency": best / world.steps_taken} if best else {})
        verdict = UNPARSED if reason == EndReason.INVALID else WRONG
        return Score(0.0, verdict, reason or "the episode is not over")

    def answer(self, row_id: str, replies: Sequence[str]) -> str:
        """Return the observation after some replies; empty if the episode is over."""
        world, observation = self._played(row_id, replies)
        return "" if world.done else observation

    def messages(self, row_id: str, replies: Sequence[str] = ()) -> list[dict[str, str]]:
        """Return the conversation up to the next reply; empty if the episode is over."""
        world = World(self._problem(row_id))
        shown = [
            {"role": "system", "content": INSTRUCTION},
            {"role": "user", "content": world.first_observation},
        ]
        for reply in replies:
            observation = world.step(reply).observation
            shown += [{"role": "assistant", "content": reply}, {"role": "user", "content": observation}]
        return [] if world.done else shown


def asked_table(name: str, items: Iterable[Item], part: str, turns: int = 0) -> AskedTable:
    """Return the items of a table: questions, or worlds. The arguments are those of ``AskedTable``."""
    return (ActedTable if name == WORLD else AskedTable)(name, items, part, turns)
