"""Replies depend on the question, the seed and the turn, and are right as often as they are told to be."""

from __future__ import annotations

import pytest

from orrery.demo_model import ScriptedReplies
from orrery.demo_model.replies import NONSENSE, prompt_text
from tests.library.samples import IN_ONE_PROCESS, TABLES, fresh

pytestmark = IN_ONE_PROCESS


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_the_right_reply_scores_one_and_the_other_is_never_right(table):
    item = fresh(table)[0]
    assert item.score(ScriptedReplies([item]).reply(item.prompt)).value == 1.0
    silent = ScriptedReplies([item], right=0.0).reply(item.prompt)
    assert (silent, item.score(silent).value) == (NONSENSE, 0.0)


@pytest.mark.slow
def test_it_is_right_as_often_as_it_is_told_to_be():
    item = fresh("acp_app_bool")[0]
    right = [
        ScriptedReplies([item], right=0.7, seed=seed).reply(item.prompt) == item.gold for seed in range(2000)
    ]
    assert 0.66 < sum(right) / len(right) < 0.74


def test_the_same_question_gets_the_same_reply_and_another_turn_may_get_another():
    items = fresh("acp_app_gen")

    def replies(order):
        model = ScriptedReplies(items, right=0.5, seed=3)
        replies_by_item = {}
        for item in order:
            messages = list(item.prompt)
            for turn in range(12):
                replies_by_item[item.row["id"], turn] = model.reply(messages)
                messages = [
                    *messages,
                    {"role": "assistant", "content": "x"},
                    {"role": "user", "content": "again"},
                ]
        return replies_by_item

    forth, back = replies(items), replies(list(reversed(items)))
    assert forth == back
    assert len(set(forth.values())) > len(items)


def test_a_prompt_is_known_in_one_message_or_two_and_with_content_in_parts():
    item = fresh("acp_app_gen")[0]
    system, user = (message["content"] for message in item.prompt)
    model = ScriptedReplies([item])
    joined = [{"role": "user", "content": f"{system}\n\n{user}\n"}]
    parts = [*item.prompt[:1], {"role": "user", "content": [{"type": "text", "text": user}]}]
    assert model.reply(joined) == model.reply(parts) == item.gold


def test_items_are_taken_up_when_they_are_needed():
    items = fresh("acp_app_gen")
    model = ScriptedReplies(iter(items))
    assert model.known == 0
    assert model.learn(1) == model.known == 1
    assert model.reply(items[-1].prompt) == items[-1].gold
    assert model.known == len(items)
    assert model.learn() == 0
    assert model.reply([{"role": "user", "content": "Who are you?"}]) == NONSENSE


@pytest.mark.parametrize("messages", [[], [{}], [{"role": "user"}], [{"role": "user", "content": [3, {}]}]])
def test_a_conversation_without_text_gets_nonsense(messages):
    assert prompt_text(messages) == ""
    assert ScriptedReplies(fresh("acp_app_gen")).reply(messages) == NONSENSE
