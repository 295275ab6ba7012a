"""The table of scores is made from the replies that were kept, and from nothing else."""

import pytest

from orrery.evaluation.kept_replies import KeptReply, digest_of, kept_replies
from orrery.evaluation.results.runs import read_run, write_run
from orrery.evaluation.rows import conversation_of, score_rows, to_ask
from tests.evaluation.samples import asked, items

TABLE = "acp_val_bool"
NONSENSE = "I do not know."


@pytest.fixture
def kept(tmp_path):
    with kept_replies(tmp_path / "run" / "replies.jsonl") as found:
        yield found


def say(kept, some, row_id, *texts, start=()):
    for turn, text in enumerate(texts, len(start)):
        messages = some.messages(row_id, [*start, *texts[: turn - len(start)]])
        kept.add(KeptReply(some.name, row_id, turn, digest_of(messages), text, "stop", 10, 2, 0.5))


def rows(some, kept, failures=None):
    return {row["id"]: row for row in score_rows([some], kept, failures or {}, "demo")}


def test_a_reply_gives_a_row_that_the_table_takes(kept, tmp_path):
    some = asked(TABLE, 2)
    right, wrong = some.items
    say(kept, some, right, items(TABLE)[0].gold)
    say(kept, some, wrong, "")
    found = rows(some, kept)
    assert {(row["verdict"], row["value"], row["first_verdict"]) for row in found.values()} == {
        ("right", 1.0, "right"),
        ("unparsed", 0.0, "unparsed"),
    }
    assert found[right]["reply"] == items(TABLE)[0].gold
    assert {(row["turns"], row["input_tokens"], row["output_tokens"]) for row in found.values()} == {
        (1, 10, 2)
    }
    write_run(tmp_path / "run", found.values(), {"model": "demo", "data": "5", "finished": True})
    assert read_run(tmp_path / "run").scores.num_rows == 2


def test_what_was_not_asked_has_no_row_and_is_asked(kept):
    some = asked(TABLE, 2)
    first, second = some.items
    say(kept, some, first, NONSENSE)
    assert set(rows(some, kept)) == {first}
    (left,) = to_ask([some], kept)
    assert list(left.items) == [second]
    say(kept, some, second, NONSENSE)
    assert to_ask([some], kept) == []


def test_a_failure_is_no_reply_and_asked_again(kept):
    some = asked(TABLE, 1)
    (row_id,) = some.items
    row = rows(some, kept, {(TABLE, row_id): "500: no"})[row_id]
    assert (row["verdict"], row["value"], row["error"], row["reply"], row["turns"]) == (
        "failed", 0.0, "500: no", "", 0,
    )  # fmt: skip
    assert row["first_verdict"] == ""
    assert row["input_tokens"] is None
    assert to_ask([some], kept)[0].items
    say(kept, some, row_id, items(TABLE)[0].gold)
    assert rows(some, kept, {(TABLE, row_id): "500: no"})[row_id]["verdict"] == "right"


def test_a_conversation_counts_by_its_last_reply_and_keeps_the_first_verdict(kept):
    some = asked(TABLE, 1, turns=2)
    (row_id,) = some.items
    say(kept, some, row_id, NONSENSE)
    assert not conversation_of(some, row_id, kept).over
    assert rows(some, kept) == {}
    failed = rows(some, kept, {(TABLE, row_id): "cut"})[row_id]
    assert (failed["verdict"], failed["first_verdict"], failed["turns"]) == ("failed", "unparsed", 1)
    say(kept, some, row_id, items(TABLE)[0].gold, start=[NONSENSE])
    row = rows(some, kept)[row_id]
    assert (row["verdict"], row["first_verdict"], row["first_value"], row["turns"]) == (
        "right", "unparsed", 0.0, 2,
    )  # fmt: skip
    assert (row["input_tokens"], row["seconds"]) == (20, 1.0)
