"""A conversation: replies that are not right are answered as often as was said; a right one ends it."""

import re

import pytest

from tests.evaluation.samples import ASKING, asked, items
from tests.library.samples import IN_ONE_PROCESS

pytestmark = IN_ONE_PROCESS

NONSENSE = "I do not know."


@pytest.mark.slow
@pytest.mark.parametrize("table", ASKING)
def test_it_begins_with_the_prompt_and_ends_with_a_right_reply(table):
    table_asked, item = asked(table, turns=3), items(table)[0]
    row_id = item.row["id"]
    assert table_asked.messages(row_id) == item.prompt
    assert table_asked.messages(row_id, [item.gold]) == []
    after = table_asked.messages(row_id, [NONSENSE])
    assert after[: len(item.prompt)] == item.prompt
    assert [message["role"] for message in after[-2:]] == ["assistant", "user"]
    assert after[-2]["content"] == NONSENSE
    assert table_asked.messages(row_id, [NONSENSE, item.gold]) == []


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_it_goes_on_as_often_as_was_said(turns):
    table_asked = asked("acp_val_bool", turns=turns)
    row_id = next(iter(table_asked.items))
    for count in range(1, turns + 1):
        assert len(table_asked.messages(row_id, [NONSENSE] * count)) == 2 + 2 * count
    assert table_asked.messages(row_id, [NONSENSE] * (turns + 1)) == []
    assert table_asked.answer(row_id, [NONSENSE] * turns) if turns else True


def test_a_wrong_answer_that_can_be_read_ends_it():
    table_asked, item = asked("acp_val_bool", turns=3), items("acp_val_bool")[0]
    wrong = next(reply for reply in ("ANSWER: yes", "ANSWER: no") if not item.score(reply).value)
    assert table_asked.messages(item.row["id"], [wrong]) == []


@pytest.mark.parametrize("table", ["action_modeling", "domain_modeling"])
def test_a_right_domain_that_a_parser_refuses_is_corrected(table):
    table_asked, item = asked(table, 1, turns=1), items(table)[0]
    refused = (
        item.gold.replace(")", "", 1) if table == "action_modeling" else item.gold.replace(":typing", "")
    )
    assert item.score(refused).verdict == "right"
    *_, reply, correction = table_asked.messages(item.row["id"], [refused])
    assert reply == {"role": "assistant", "content": refused}
    assert item.feedback(refused, item.score(refused)) == correction["content"]
    assert table_asked.messages(item.row["id"], [refused, refused]) == []
    assert table_asked.messages(item.row["id"], [item.gold]) == []


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda gold: "I cannot do that.", "UndefinedDomainName"),
        (lambda gold: gold.replace("(on ?c - car)", ""), "UndefinedConstant: .*'on' is not declared"),
        (lambda gold: gold.replace(":typing", ""), "MissingRequirements: .*':typing'"),
        (lambda gold: gold[:-40], "IncorrectParentheses"),
    ],
)
def test_a_correction_gives_the_error_and_asks_for_the_whole_domain(spoil, error):
    table_asked, item = asked("domain_modeling", 1, turns=1), items("domain_modeling")[0]
    correction = table_asked.messages(item.row["id"], [spoil(item.gold)])[-1]["content"]
    assert re.search(error, correction)
    assert "write the whole domain again" in correction
    differing = item.gold.replace("(on ?c - car)", "(on ?c - car) (red ?c - car)")
    assert item.score(differing).verdict == "wrong"
    assert table_asked.messages(item.row["id"], [differing]) == []
