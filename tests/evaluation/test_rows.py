"""The table of scores is made from the replies that were kept, and from nothing else."""

import json

import pytest

from orrery.evaluation.kept_replies import KeptReply, digest_of, kept_replies
from orrery.evaluation.results.runs import read_run, write_run
from orrery.evaluation.rows import conversation_of, score_rows, to_ask
from orrery.scoring.scorers.questions import QuestionScorer
from tests.evaluation.results.samples import ABOUT
from tests.evaluation.samples import asked, items
from tests.library.samples import IN_ONE_PROCESS, TABLES

pytestmark = IN_ONE_PROCESS

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
    """The rows of scores by id, of the last replies."""
    return {row["id"]: row for row in score_rows([some], kept, failures or {}, "demo") if row["is_last"]}


def conversation(some, kept, failures=None):
    """Turn, verdict, whether it is the last, and failure, of all replies."""
    scored = score_rows([some], kept, failures or {}, "demo")
    return [(row["turn"], row["verdict"], row["is_last"], row["failure"]) for row in scored]


def test_a_reply_gives_a_row_that_the_table_takes(kept, tmp_path):
    some = asked(TABLE, 2)
    right, wrong = some.items
    say(kept, some, right, items(TABLE)[0].gold)
    say(kept, some, wrong, "")
    found = rows(some, kept)
    assert {(row["verdict"], row["value"], row["answer"]) for row in found.values()} == {
        ("right", 1.0, json.dumps(items(TABLE)[0].row["answer"])),
        ("unparsed", 0.0, None),
    }
    assert found[right]["reply"] == items(TABLE)[0].gold
    columns = ("turn", "input_tokens", "output_tokens", "seconds", "finish_reason")
    assert {tuple(row[name] for name in columns) for row in found.values()} == {(0, 10, 2, 0.5, "stop")}
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
    assert (row["verdict"], row["value"], row["failure"], row["reply"], row["turn"]) == (
        "failed", 0.0, "500: no", "", 0,
    )  # fmt: skip
    assert "input_tokens" not in row
    assert to_ask([some], kept)[0].items
    say(kept, some, row_id, items(TABLE)[0].gold)
    assert rows(some, kept, {(TABLE, row_id): "500: no"})[row_id]["verdict"] == "right"


def test_every_reply_of_a_conversation_has_a_row_and_the_last_counts(kept, tmp_path):
    some = asked(TABLE, 1, turns=2)
    (row_id,) = some.items
    say(kept, some, row_id, NONSENSE)
    assert not conversation_of(some, row_id, kept).over
    assert conversation(some, kept) == []
    cut = [(0, "unparsed", False, ""), (1, "failed", True, "cut")]
    assert conversation(some, kept, {(TABLE, row_id): "cut"}) == cut
    say(kept, some, row_id, items(TABLE)[0].gold, start=[NONSENSE])
    assert conversation(some, kept) == [(0, "unparsed", False, ""), (1, "right", True, "")]
    found = list(score_rows([some], kept, {}, "demo"))
    assert [(row["reply"], row["input_tokens"]) for row in found] == [
        (NONSENSE, 10),
        (items(TABLE)[0].gold, 10),
    ]
    write_run(tmp_path / "run", found, {"model": "demo", "data": "5", "finished": True})
    assert read_run(tmp_path / "run").scores["turn"].to_pylist() == [0, 1]


def test_a_reply_is_graded_once(kept, monkeypatch):
    some, graded = asked("acp_app_gen", 2), []
    for row_id, item in some.items.items():
        say(kept, some, row_id, item.gold)
    score = QuestionScorer.score

    def counted(scorer, reply, row):
        graded.append(row["id"])
        return score(scorer, reply, row)

    monkeypatch.setattr(QuestionScorer, "score", counted)
    found = list(score_rows([some], kept, {}, "demo"))
    assert sorted(graded) == sorted(some.items)
    assert [row["jaccard"] for row in found] == [1.0, 1.0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "figures"),
    [
        ("acp_prog_gen", {"pos": 1.0, "neg": 1.0, "jaccard": 1.0, "effects_f1": None}),
        ("acp_app_gen", {"jaccard": 1.0, "pos": None}),
        ("plan_verification", {"verdict_right": 1.0, "step_right": 1.0, "literals_right": 1.0}),
        ("plan_generation", {"task": "generation", "jaccard": None}),
        ("text_to_pddl", {"parseable": True, "solvable": True, "correct": True, "equal": None}),
        ("domain_modeling", {"equal": True, "effects_f1": 1.0, "executable": True, "parseable": None}),
        ("action_modeling", {"equal_actions": 3, "gold_actions": 3, "effects_f1": 1.0, "f1": None}),
    ],
)
def test_the_parts_of_every_score_are_columns_and_of_other_tables_null(kept, tmp_path, table, figures):
    some = asked(table, 1, turns=1)
    (item,) = some.items.values()
    (row_id,) = some.items
    say(kept, some, row_id, NONSENSE, item.gold)
    write_run(tmp_path / "run", score_rows([some], kept, {}, "demo"), {**ABOUT})
    nonsense, right = read_run(tmp_path / "run").scores.to_pylist()
    assert (nonsense["verdict"], right["verdict"]) == ("unparsed", "right")
    assert {name: right[name] for name in figures} == figures
    assert {name: nonsense[name] for name in figures} != figures or table == "plan_generation"
    assert {name for name in figures if figures[name] is None} <= {
        name for name, value in nonsense.items() if value is None
    }


@pytest.mark.parametrize("table", TABLES)
def test_answers_that_were_read_are_json(kept, table):
    some = asked(table, 1)
    (item,) = some.items.values()
    score = item.score(item.gold)
    (row_id,) = some.items
    say(kept, some, row_id, item.gold)
    (row,) = score_rows([some], kept, {}, "demo", figures=False)
    assert (row["answer"] is None) == (table == "text_to_pddl") == (score.answer is None)
    if score.answer is not None:
        assert json.loads(row["answer"]) is not None
    assert "group" not in row
