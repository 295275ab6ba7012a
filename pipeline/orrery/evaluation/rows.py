"""Make the rows of the table of scores from the stored replies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from orrery.evaluation.asked import AskedTable, facts_of
from orrery.evaluation.kept_replies import KeptReplies, KeptReply
from orrery.evaluation.results.runs import FAILED

Failures: TypeAlias = Mapping[tuple[str, str], str]  # reasons of missing replies, by table and id


class Conversation(NamedTuple):
    """The stored replies to a row in order, and whether the conversation is over."""

    replies: tuple[KeptReply, ...]
    over: bool


def conversation_of(table: AskedTable, row_id: str, replies: KeptReplies) -> Conversation:
    """Return the conversation about a row so far."""
    texts_so_far: list[KeptReply] = []
    while messages := table.messages(row_id, [reply.text for reply in texts_so_far]):
        reply = replies.find(table.name, row_id, len(texts_so_far), messages)
        if reply is None:
            return Conversation(tuple(texts_so_far), over=False)
        texts_so_far.append(reply)
    return Conversation(tuple(texts_so_far), over=True)


def to_ask(tables: Iterable[AskedTable], replies: KeptReplies) -> list[AskedTable]:
    """Return the remaining requests: tables with the items whose conversation is not over."""
    remaining = [
        AskedTable(
            table.name,
            [
                item
                for row_id, item in table.items.items()
                if not conversation_of(table, row_id, replies).over
            ],
            table.part,
            table.turns,
        )
        for table in tables
    ]
    return [table for table in remaining if table.items]


def score_rows(
    tables: Iterable[AskedTable], replies: KeptReplies, failures: Failures, model: str
) -> Iterator[dict[str, Any]]:
    """Yield a row of the table of scores for every conversation that is over or failed.

    Rows without a request have no row of scores.
    """
    for table in tables:
        for row_id, item in table.items.items():
            course, error = conversation_of(table, row_id, replies), failures.get((table.name, row_id))
            if course.over or error is not None:
                facts = {"model": model, **facts_of(item, table.part), "epoch": 1}
                yield facts | _scored(table, row_id, course, error or "")


def _scored(table: AskedTable, row_id: str, course: Conversation, error: str) -> dict[str, Any]:
    """Return the columns with the reply of the model and its score."""
    texts = [reply.text for reply in course.replies]
    first = table.score(row_id, texts[0]) if texts else None
    figures = {
        "turns": len(texts),
        "first_value": first.value if first else None,
        "first_verdict": first.verdict if first else "",
        "input_tokens": _sum(reply.input_tokens for reply in course.replies),
        "output_tokens": _sum(reply.output_tokens for reply in course.replies),
        "seconds": _sum(reply.seconds for reply in course.replies),
    }
    if not course.over:
        return figures | {"value": 0.0, "verdict": FAILED, "detail": "", "reply": "", "error": error}
    last = table.score(row_id, texts[-1])
    return figures | {
        "value": last.value,
        "verdict": last.verdict,
        "detail": last.detail,
        "reply": texts[-1],
        "error": "",
    }


def _sum(values: Iterable[Any]) -> Any:
    """Return the sum of the known values; None if all are unknown."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) if numbers else None
