"""Paraphrases as they come from files and models."""

from __future__ import annotations

import pytest

from orrery.grading import Score
from orrery.library.items import Item
from orrery.library.loading import load
from orrery.library.paraphrases import Paraphrase, by_reply, read_paraphrases, recovery, rewording, text_of
from tests.every_domain import ROOT
from tests.library.samples import IN_ONE_PROCESS, dataset, fresh

pytestmark = IN_ONE_PROCESS

TABLE = "text_to_pddl"


@pytest.mark.parametrize("reply", ["A text.", "\n A text.\n", "```\nA text.\n```", "```text\nA text.\n```\n"])
def test_a_reply_is_taken_without_a_fence(reply):
    assert text_of(reply) == "A text."


def test_paraphrases_of_a_row_are_numbered_in_the_order_of_the_file(tmp_path):
    path = tmp_path / "given.jsonl"
    rows = [("a", "One."), ("b", "Two."), ("a", "Three.")]
    path.write_text("".join(f'{{"id": "{row_id}", "natural_language": "{text}"}}\n' for row_id, text in rows))
    assert list(read_paraphrases(path)) == [
        (1, Paraphrase("a", 1, "One.")),
        (2, Paraphrase("b", 1, "Two.")),
        (3, Paraphrase("a", 2, "Three.")),
    ]


def test_rows_are_found_by_their_ids(tmp_path):
    items_loaded = load(dataset(tmp_path, TABLE), TABLE, root=ROOT)
    wanted = [items_loaded[2].row["id"], items_loaded[0].row["id"]]
    assert [item.row["id"] for item in items_loaded.of_ids({*wanted, "none"})] == [
        items_loaded[0].row["id"],
        items_loaded[2].row["id"],
    ]


def test_a_model_is_asked_with_the_text_alone_and_asked_back_with_the_paraphrase_and_the_domain_alone():
    row = fresh(TABLE)[0].row
    written = rewording(row, 2, ROOT)
    system, user = (message["content"] for message in written.prompt)
    assert row["natural_language"] in user
    assert "Version 2" in user
    assert "(define" not in system + user
    back = recovery(row, Paraphrase(row["id"], 2, "In other words."), ROOT)
    assert isinstance(back, Item)
    system, user = (message["content"] for message in back.prompt)
    assert user == "In other words."
    assert row["domain_pddl"].strip() in system
    assert row["problem_pddl"].strip() not in system
    assert back.row["id"] == written.row["id"] != row["id"]


@pytest.mark.parametrize(
    ("verdict", "message"),
    [
        ("wrong", "the model recovered another problem: why"),
        ("unparsed", "the model recovered no problem: why"),
        ("undecided", "it is undecided whether the model recovered the problem: why"),
    ],
)
def test_what_the_model_did_not_recover_is_rejected_with_the_reason(verdict, message):
    judged = by_reply(Paraphrase("a", 1, "text"), "reply", Score(0.0, verdict, "why"))
    assert (judged.accepted_by, judged.reason, judged.reply) == ("", message, "reply")
    assert by_reply(judged.paraphrase, "reply", Score(1.0, "right")).accepted_by == "model"
