"""The rows of the table of scores, made from the replies that were kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from orrery.evaluation.asked import AskedTable
from orrery.evaluation.facts import facts_of
from orrery.evaluation.kept_replies import KeptReplies, KeptReply
from orrery.evaluation.results.schema import FAILED

Failures: TypeAlias = Mapping[tuple[str, str], str]  # why no reply was got, by table and id


class Conversation(NamedTuple):
    """The replies to a row that were got, in their order, and whether no further one is to be asked for."""

    replies: tuple[KeptReply, ...]
    over: bool


def conversation_of(asked: AskedTable, row_id: str, kept: KeptReplies) -> Conversation:
    """Return what was said of a row so far."""
    found: list[KeptReply] = []
    while messages := asked.messages(row_id, [each.text for each in found]):
        reply = kept.find(asked.name, row_id, len(found), messages)
        if reply is None:
            return Conversation(tuple(found), over=False)
        found.append(reply)
    return Conversation(tuple(found), over=True)


def to_ask(every: Iterable[AskedTable], kept: KeptReplies) -> list[AskedTable]:
    """Return what is left to ask: tables with the items whose conversation is not over."""
    left = [
        AskedTable(
            asked.name,
            [item for row_id, item in asked.items.items() if not conversation_of(asked, row_id, kept).over],
            asked.part,
            asked.turns,
        )
        for asked in every
    ]
    return [asked for asked in left if asked.items]


def score_rows(
    every: Iterable[AskedTable], kept: KeptReplies, failures: Failures, model: str
) -> Iterator[dict[str, Any]]:
    """Yield a row of the table of scores for every conversation that is over, or that failed.

    Rows that were not asked have none.
    """
    for asked in every:
        for row_id, item in asked.items.items():
            course, error = conversation_of(asked, row_id, kept), failures.get((asked.name, row_id))
            if course.over or error is not None:
                told = {"model": model, **facts_of(item, asked.part), "epoch": 1}
                yield told | _scored(asked, row_id, course, error or "")


def _scored(asked: AskedTable, row_id: str, course: Conversation, error: str) -> dict[str, Any]:
    """Return the columns that say what the model replied, and what it is worth."""
    texts = [reply.text for reply in course.replies]
    first = asked.score(row_id, texts[0]) if texts else None
    told = {
        "turns": len(texts),
        "first_value": first.value if first else None,
        "first_verdict": first.verdict if first else "",
        "input_tokens": _sum(reply.input_tokens for reply in course.replies),
        "output_tokens": _sum(reply.output_tokens for reply in course.replies),
        "seconds": _sum(reply.seconds for reply in course.replies),
    }
    if not course.over:
        return told | {"value": 0.0, "verdict": FAILED, "detail": "", "reply": "", "error": error}
    last = asked.score(row_id, texts[-1])
    return told | {
        "value": last.value,
        "verdict": last.verdict,
        "detail": last.detail,
        "reply": texts[-1],
        "error": "",
    }


def _sum(values: Iterable[Any]) -> Any:
    """Return the sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
