"""The items of one table that are put to a model, and the course of a conversation about one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from orrery.grading import RIGHT, Score
from orrery.library.items import Item

SCORES_KEPT = 256  # a reply is asked for twice: when it comes, and by the scorer


class AskedTable:
    """The items of a table, by the ids of their rows.

    ``name`` is the table's, ``part`` the split of the rows or ``fresh``, and ``turns`` how often a reply that
    is not right is answered at most (k of EC_k).
    """

    def __init__(self, name: str, items: Iterable[Item], part: str, turns: int = 0) -> None:
        """Hold the items in their order."""
        self.name, self.part, self.turns = name, part, turns
        self.items: Mapping[str, Item] = {str(item.row["id"]): item for item in items}
        # Whether a reply is right is asked when the conversation goes on or ends, and again when it is told.
        self.score: Callable[[str, str], Score] = lru_cache(maxsize=SCORES_KEPT)(self._score)

    def _score(self, row_id: str, reply: str) -> Score:
        return self.items[row_id].score(reply)

    def answer(self, row_id: str, replies: Sequence[str]) -> str:
        """Return what a conversation goes on with after some replies; empty where it is over."""
        if len(replies) > self.turns:
            return ""
        score = self.score(row_id, replies[-1])
        return "" if score.verdict == RIGHT else self.items[row_id].feedback(replies[-1], score)

    def messages(self, row_id: str, replies: Sequence[str] = ()) -> list[dict[str, str]]:
        """Return the conversation up to the message that the model has to reply to next.

        Empty where it is over.
        """
        conversation = list(self.items[row_id].prompt)
        for number, reply in enumerate(replies, 1):
            answer = self.answer(row_id, replies[:number])
            if not answer:
                return []
            conversation += [{"role": "assistant", "content": reply}, {"role": "user", "content": answer}]
        return conversation
