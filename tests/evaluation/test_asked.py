"""A conversation: replies that are not right are answered as often as was said; a right one ends it."""

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
