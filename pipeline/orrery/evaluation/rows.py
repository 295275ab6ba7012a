"""Make the rows of the table of scores from the stored replies."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias

from orrery.evaluation.asked import AskedTable, facts_of
from orrery.evaluation.kept_replies import KeptReplies, KeptReply
from orrery.evaluation.results.runs import FAILED
from orrery.families import table_of
from orrery.grading import Score
from orrery.library.items import Item
from orrery.library.judging import scorer_named

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
        table.only({row_id for row_id in table.items if not conversation_of(table, row_id, replies).over})
        for table in tables
    ]
    return [table for table in remaining if table.items]


def only_rows(tables: Iterable[AskedTable], rows: Iterable[tuple[str, str]]) -> tuple[AskedTable, ...]:
    """Return the tables with the items of ``rows``, given by table and id; tables without any are omitted."""
    ids_by_table: dict[str, set[str]] = defaultdict(set)
    for table_name, row_id in rows:
        ids_by_table[table_name].add(row_id)
    chosen = [table.only(ids_by_table[table.name]) for table in tables]
    return tuple(table for table in chosen if table.items)


class ScoredReply(NamedTuple):
    """A reply to an item, after ``turn`` corrections, with its score, or the reason why there is none."""

    item: Item
    turn: int
    is_last: bool
    reply: KeptReply | None
    score: Score | None
    failure: str = ""


def score_rows(
    tables: Iterable[AskedTable],
    replies: KeptReplies,
    failures: Failures,
    model: str,
    *,
    figures: bool = True,
    published: bool = False,
) -> Iterator[dict[str, Any]]:
    """Yield a row of the table of scores for every reply, and for every missing one.

    Rows whose conversation is neither over nor failed have no row of scores.

    Args:
        tables: the tables that were asked.
        replies: the stored replies.
        failures: the reasons of missing replies.
        model: the name of the model.
        figures: whether the columns of the scorers are filled, which may start planners.
        published: whether replies are scored by the published rules, too.
    """
    for table in tables:
        scored = [
            reply
            for row_id in table.items
            for reply in _replies_to(table, row_id, replies, failures.get((table.name, row_id)))
        ]
        measured = _figures_of(table.name, scored) if figures else repeat({}, len(scored))
        for reply, columns in zip(scored, measured, strict=True):
            rule = {"published_rule_value": _by_published_rule(reply, columns)} if published else {}
            yield {**columns, **rule, "model": model, **facts_of(reply.item, table.part), **_columns(reply)}


def _by_published_rule(scored: ScoredReply, columns: Mapping[str, Any]) -> float | None:
    """Return the score of a reply by the published rule; None without one, or in a table without scorer."""
    item, reply = scored.item, scored.reply
    name = table_of(item.table).scorer
    if reply is None or scored.score is None or not name:
        return None
    return scorer_named(name, item.root).published_value(reply.text, item.row, scored.score, dict(columns))


def _replies_to(
    table: AskedTable, row_id: str, replies: KeptReplies, failure: str | None
) -> Iterator[ScoredReply]:
    """Yield the replies to a row; nothing if the conversation is neither over nor failed."""
    item, course = table.items[row_id], conversation_of(table, row_id, replies)
    if not course.over and failure is None:
        return
    for turn, reply in enumerate(course.replies):
        is_last = course.over and reply is course.replies[-1]
        texts = [earlier.text for earlier in course.replies[: turn + 1]]
        yield ScoredReply(item, turn, is_last, reply, table.score_of(row_id, texts))
    if not course.over:
        yield ScoredReply(item, len(course.replies), True, None, None, failure or "")


def _figures_of(table: str, scored: Sequence[ScoredReply]) -> Iterator[dict[str, Any]]:
    """Yield the columns of the table's scorer for each reply; none without a reply."""
    if not scored or not table_of(table).scorer:
        yield from ({} for _ in scored)
        return
    scorer = scorer_named(str(table_of(table).scorer), scored[0].item.root)
    for start in range(0, len(scored), scorer.block):
        block = scored[start : start + scorer.block]
        replies = [
            (reply.item.row, reply.reply.text, reply.score) for reply in block if reply.reply and reply.score
        ]
        figures = iter(scorer.measure_all(replies))
        yield from (next(figures) if reply.reply else {} for reply in block)


def _columns(scored: ScoredReply) -> dict[str, Any]:
    """Return the columns of a reply and its score."""
    reply, score = scored.reply, scored.score
    place = {"turn": scored.turn, "is_last": scored.is_last, "failure": scored.failure}
    if reply is None or score is None:
        missing = {"value": 0.0, "verdict": FAILED, "detail": "", "reply": "", "finish_reason": ""}
        return place | missing
    return place | {
        "value": score.value,
        "verdict": score.verdict,
        "detail": score.detail,
        "reply": reply.text,
        "answer": None if score.answer is None else json.dumps(score.answer, default=_plain),
        "finish_reason": reply.end,
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "seconds": reply.seconds,
    }


def _plain(value: Any) -> Any:
    """Return a value that JSON lacks as one that it has: a set as a sorted list, a record by its fields."""
    return sorted(value, key=repr) if isinstance(value, Set) else asdict(value)
