"""The rows of the table ``world`` for a model: a conversation is an episode, and its end is the score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from orrery.evaluation.asked import AskedTable
from orrery.families.worlds.schemas import INSTRUCTION
from orrery.grading import RIGHT, UNPARSED, WRONG, Score
from orrery.library.fresh_rows import WORLD
from orrery.library.items import Item
from orrery.library.world_sets import world_of_row
from orrery.worlds.episode import EndReason, World
from orrery.worlds.world_problem import WorldProblem

PROBLEMS_KEPT = 64  # enough for the conversations that are open at once


class ActedTable(AskedTable):
    """The rows of the table ``world`` by their ids.

    The model acts until the episode is over. A right conversation reaches the goal; ``unparsed`` is one that
    ends after replies in a row that are no possible action. Messages are those of the dialogues of the rows.
    """

    def __init__(self, name: str, items: Iterable[Item], part: str, turns: int = 0) -> None:
        """Store the items; every episode has further turns, whatever ``turns`` is."""
        super().__init__(name, items, part, max(1, turns))
        self._problem: Callable[[str], WorldProblem] = lru_cache(maxsize=PROBLEMS_KEPT)(self._posed)

    def _posed(self, row_id: str) -> WorldProblem:
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
