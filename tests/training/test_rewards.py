"""Rewards: of right, wrong, unreadable and undecided replies, in threads and other processes."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import orrery
from orrery.library import judging
from orrery.model import OrreryError, UsageError
from orrery.training import rewards
from tests.library.samples import IN_ONE_PROCESS, fresh

pytestmark = IN_ONE_PROCESS

ROW = {"id": "1", "group": "applicable_actions_bool", "answer": "yes"}
STRANGE = [
    None,
    3,
    {},
    [],
    [{}],
    [None],
    b"yes",
    "\ud800",
    "\x00",
    "(" * 5000,
    "ANSWER: " * 5000,
    [[SystemError]],
]


def columns(items):
    examples = list(orrery.examples(items))
    return {name: [example[name] for example in examples] for name in examples[0]}


@pytest.mark.parametrize(
    "table", ["text_to_pddl", "acp_app_gen", "acp_val_mcq", "plan_optimal", "plan_reuse", "plan_execution"]
)
def test_right_replies_are_rewarded_and_no_others(table):
    items, reward = fresh(table), orrery.Reward()
    columns_given = columns(items)
    gold = [item.gold for item in items]
    assert [reward.score(*pair) for pair in zip(gold, columns_given["row"], strict=True)] == [
        item.score(item.gold) for item in items
    ]
    assert reward(completions=gold, **columns_given) == [1.0] * len(items)
    completions = [[{"role": "assistant", "content": gold_text}] for gold_text in gold]
    assert reward(prompts=columns_given["prompt"], completions=completions, **columns_given) == [1.0] * len(
        items
    )
    assert reward(completions=["I do not know."] * len(items), **columns_given) == [0.0] * len(items)
    assert reward.counts[table]["right"] == 2 * len(items)
    assert sum(reward.counts[table].values()) == 3 * len(items)


@pytest.mark.slow
def test_no_completion_raises():
    for table in ("text_to_pddl", "acp_app_bool", "acp_prog_gen", "plan_generation", "plan_causality"):
        (example,) = orrery.examples(fresh(table)[:1])
        many = len(STRANGE)
        rewards = orrery.Reward()(completions=STRANGE, row=[example["row"]] * many, table=[table] * many)
        assert rewards == [0.0] * many


def test_a_wrong_reply_earns_the_share_of_its_form_and_an_unreadable_one_nothing():
    replies = ["ANSWER: yes", "ANSWER: no", "Hm."]
    rows = {"row": [ROW] * 3}
    assert orrery.Reward()(completions=replies, **rows) == [1.0, 0.0, 0.0]
    assert orrery.Reward(format_share=0.1)(completions=replies, **rows) == [1.0, 0.1, 0.0]


@pytest.mark.parametrize("policy", [0.0, None, 0.5, -1.0])
def test_undecided_replies_get_what_the_policy_says_and_are_counted(policy, monkeypatch):
    undecided = judging.Score(0.0, "undecided", "limit of states")
    monkeypatch.setattr(rewards, "score", lambda *_, **__: undecided)
    reward = orrery.Reward(undecided=policy, format_share=0.2)
    assert reward(completions=["a", "b"], row=[ROW, ROW], table=["acp_app_bool", "acp_app_bool"]) == [
        policy,
        policy,
    ]
    assert reward.counts == {"acp_app_bool": {"undecided": 2}}


def test_what_is_scored_is_told():
    heard, logged = [], []
    reward = orrery.Reward(on_score=lambda row, score: heard.append((row["id"], score.verdict)))
    reward(
        completions=["yes", "Hm."],
        row=[ROW, json.dumps(ROW)],
        log_metric=lambda *metrics: logged.append(metrics),
    )
    assert heard == [("1", "right"), ("1", "unparsed")]
    assert logged == [("orrery_reward/undecided", 0.0), ("orrery_reward/unparsed", 0.5)]


def test_it_counts_in_threads_and_travels_with_its_counts():
    reward = orrery.Reward()
    with ThreadPoolExecutor(8) as threads:
        rewarded = threads.map(
            lambda reply: reward(completions=[reply], row=[ROW], table=["acp_app_bool"]), ["yes", "no"] * 50
        )
        assert list(rewarded) == [[1.0], [0.0]] * 50
    again = pickle.loads(pickle.dumps(reward))
    assert again.counts == reward.counts == {"acp_app_bool": {"right": 50, "wrong": 50}}
    assert again.__name__ == reward.__name__


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "column 'row': is missing"),
        ({"row": [ROW]}, "for each of 2 completions"),
        ({"row": json.dumps(ROW)}, "for each of 2 completions"),
        ({"row": [ROW, ROW], "table": ["acp_app_bool"]}, "column 'table'"),
    ],
)
def test_a_set_without_rows_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        orrery.Reward()(completions=["a", "b"], **options)


@pytest.mark.parametrize(
    ("row", "message"),
    [("{", "is not valid JSON:"), ("[]", "not a JSON object"), ("{}", "does not belong to a table")],
)
def test_a_row_that_is_none_is_refused(row, message):
    with pytest.raises(OrreryError, match=message):
        orrery.Reward()(completions=["a"], row=[row])


@pytest.mark.parametrize(
    "policy", [{"undecided": float("nan")}, {"format_share": 1.5}, {"format_share": -0.1}]
)
def test_what_is_no_policy_is_refused(policy):
    with pytest.raises(UsageError):
        orrery.Reward(**policy)
