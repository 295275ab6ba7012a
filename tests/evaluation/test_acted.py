"""Rows of the table ``world`` in a run: a conversation is an episode, and the goal makes it right."""

import json

import pytest

from orrery.demo_model import serving
from orrery.evaluation.asked import ActedTable, AskedTable, asked_table
from orrery.evaluation.asker import Asker
from orrery.evaluation.kept_replies import KeptReply, digest_of, kept_replies
from orrery.evaluation.rows import score_rows
from orrery.library.choice import RowSelection, chosen_tables
from orrery.library.items import Item
from orrery.model import UsageError
from orrery.stages.evaluate import model_arguments, plan, run
from tests.every_domain import ROOT
from tests.library.samples import world_dataset, world_row


@pytest.fixture(scope="module")
def rows():
    return [world_row("ferry", 3), world_row("visitall", 3), world_row("ferry", 4)]


@pytest.fixture
def table(rows):
    return asked_table("world", [Item("world", row, "", ROOT) for row in rows], "test")


def test_a_conversation_is_the_dialogue_of_the_row(rows, table):
    for row in rows:
        expert = [dict(message) for message in row["expert"]]
        replies = [message["content"] for message in expert if message["role"] == "assistant"]
        for count in range(len(replies)):
            assert table.messages(row["id"], replies[:count]) == expert[: 2 * count + 2]
            if count:
                assert table.answer(row["id"], replies[:count]) == expert[2 * count + 1]["content"]
                assert table.score_of(row["id"], replies[:count]).verdict == "wrong"
        assert table.messages(row["id"], replies) == []
        assert table.answer(row["id"], replies) == ""
        score = table.score_of(row["id"], replies)
        assert (score.value, score.verdict, score.parts) == (1.0, "right", {"efficiency": 1.0})
        slip = [message["content"] for message in row["slip"] if message["role"] == "assistant"]
        assert table.score_of(row["id"], slip).verdict == "right"
        assert 0 < table.score_of(row["id"], slip).parts["efficiency"] <= 1


def test_what_ends_an_episode_is_the_detail(rows, table):
    row_id = rows[0]["id"]
    score = table.score_of(row_id, ["dance"] * 5)
    assert (score.value, score.verdict, score.detail) == (0.0, "unparsed", "invalid actions")
    assert table.messages(row_id, ["dance"] * 5) == []
    assert table.score_of(row_id, ["dance"]).detail == "the episode is not over"
    assert len(table.messages(row_id, ["dance"])) == 4


def test_only_worlds_are_acted_in(rows, table):
    assert isinstance(table.only({rows[0]["id"]}), ActedTable)
    assert [*table.only({rows[1]["id"]}).items] == [rows[1]["id"]]
    assert type(asked_table("acp_val_bool", [], "test")) is AskedTable
    assert table.gold(rows[0]["id"]).splitlines() == rows[0]["plan"]


def test_the_published_rules_say_nothing_of_an_episode(rows, table, tmp_path):
    row_id, replies = rows[0]["id"], ["dance"] * 5
    with kept_replies(tmp_path / "replies.jsonl") as kept:
        for turn, text in enumerate(replies):
            digest = digest_of(table.messages(row_id, replies[:turn]))
            kept.add(KeptReply("world", row_id, turn, digest, text, "stop", 10, 2, 0.5))
        scored = [*score_rows([table.only({row_id})], kept, {}, "demo", published=True)]
    assert [row["published_rule_value"] for row in scored] == [None] * len(replies)


class Expert:
    """A model that knows the dialogues of some rows, and dances in all others."""

    def __init__(self, rows):
        self.known = {row["first_observation"]: row["expert"] for row in rows}

    def reply(self, messages):
        expert = self.known.get(messages[1]["content"])
        return expert[len(messages)]["content"] if expert else "dance"


@pytest.mark.slow
def test_a_run_has_the_reply_of_every_turn_and_goes_on_without_requests(rows, tmp_path, monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", "any")
    folder = world_dataset(tmp_path / "dataset", rows)
    choice = RowSelection(str(folder))
    assert chosen_tables("all", choice) == chosen_tables("world", choice) == ["world"]
    with serving(Expert(rows[:2])) as server:
        asker = Asker("openai-api/demo/demo", server.url, max_retries=0)
        request = plan(choice, "world", 0, model_arguments(asker), ROOT, [].append)
        assert request.rows == {"world": 3}
        assert request.tokens > 0
        result = run(request, asker, tmp_path / "run", [].append)
        asked = len(server.asked)
        assert asked == rows[0]["h_star"] + rows[1]["h_star"] + 5
        again = run(request, asker, tmp_path / "run", [].append)
        assert len(server.asked) == asked
    assert result.complete
    assert again.run.scores.to_pylist() == result.run.scores.to_pylist()
    last = {row["id"]: row for row in result.run.scores.to_pylist() if row["is_last"]}
    assert [(last[row["id"]]["verdict"], last[row["id"]]["turn"] + 1) for row in rows] == [
        ("right", rows[0]["h_star"]), ("right", rows[1]["h_star"]), ("unparsed", 5),
    ]  # fmt: skip
    assert [last[row["id"]]["plan_length"] for row in rows] == [row["h_star"] for row in rows]
    assert json.loads((tmp_path / "run" / "run.json").read_text())["finished"] is True


def test_a_stream_has_no_worlds():
    with pytest.raises(UsageError, match="has no rows to ask"):
        chosen_tables("world", RowSelection(seed=1))
