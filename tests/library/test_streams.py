"""Endless streams of fresh items."""

import json
import pickle
import subprocess
import sys
from itertools import islice

import pytest

import orrery
from orrery.catalog import entry_of
from orrery.checks.questions import check
from orrery.checks.questions.columns import read
from orrery.checks.rechecked_state import RecheckedState
from orrery.config import load as load_settings
from orrery.families import tables
from orrery.grading.traces import check_trace
from orrery.model import OrreryError, UsageError
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import parse_atom
from orrery.planning.execution import check_plan
from orrery.problems.problem_keys import goal_free_key
from orrery.problems.quotas import split_of
from orrery.store.columns import from_rows
from tests.effort import by_day, slow
from tests.every_domain import CATALOG, ROOT
from tests.library.samples import IN_ONE_PROCESS, TABLES, fresh

pytestmark = IN_ONE_PROCESS

QUESTIONS = [name for name in TABLES if name.startswith("acp_")]
IN_ANY_PROCESS = """
import json, sys
from itertools import islice
import orrery
for table in sys.argv[1:]:
    items = islice(orrery.tasks(table, seed=3), 3)
    print(json.dumps([[item.row, item.prompt, item.gold] for item in items], sort_keys=True))
"""


def said(table, seed=3):
    items = islice(orrery.tasks(table, seed=seed), 3)
    return json.dumps([[item.row, item.prompt, item.gold] for item in items], sort_keys=True)


@pytest.mark.parametrize("table", TABLES)
def test_rows_are_those_of_the_table_and_gold_is_right(table):
    items = fresh(table)
    schema = tables()[table].schema
    assert from_rows(schema, [dict(item.row) for item in items]).num_rows == len(items)
    assert len({item.row["id"] for item in items}) == len(items)
    for item in items:
        score_read = item.score(item.gold)
        assert (score_read.value, score_read.verdict) == (1.0, "right")


@slow
def test_the_same_seed_gives_the_same_items_in_another_process():
    names = ("text_to_pddl", "acp_land_gen", "acp_prog_bool", "acp_app_mcq", "plan_verification")
    run = subprocess.run(
        [sys.executable, "-c", IN_ANY_PROCESS, *names],
        cwd=ROOT / "pipeline",
        env={"PYTHONHASHSEED": "5", "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == list(map(said, names))
    assert said("text_to_pddl", seed=4) != said("text_to_pddl")


@slow
@pytest.mark.parametrize("table", ["plan_verification", "acp_prog_gen", "text_to_pddl"])
def test_every_item_of_composed_domains_has_a_domain_of_its_own(table):
    stream = orrery.tasks(table, domain="composed", seed=1)
    items = list(islice(stream, 3))
    assert len({item.row["domain"] for item in items}) == 3
    assert all(item.score(item.gold).value == 1 for item in items)
    again = pickle.loads(pickle.dumps(orrery.tasks(table, domain="composed", seed=1)))
    assert again.item(2).row == items[2].row


@slow
def test_composed_domains_are_of_the_split_that_is_asked_for():
    for split in ("train", "test"):
        stream = orrery.tasks("acp_app_gen", domain="composed", split=split)
        for item in islice(stream, 2):
            assert entry_of(ROOT, item.row["domain"]).composed.composition.split == split


def test_a_composed_domain_is_named_by_its_number():
    items = list(islice(orrery.tasks("acp_app_gen", domain="composed/5"), 2))
    assert {item.row["domain"] for item in items} == {"composed-5"}
    with pytest.raises(UsageError, match=r"domain 'composed-0': is not composed: .*try another number"):
        orrery.tasks("acp_app_gen", domain="composed/0")
    with pytest.raises(UsageError, match=r"difficulty 'huge': is unknown .*easy, medium, hard"):
        orrery.tasks("acp_app_gen", domain="composed", difficulty="huge")
    with pytest.raises(UsageError, match=r"kind 'tower': is unknown .*random-to-random"):
        orrery.tasks("acp_app_gen", domain="composed", kind="tower")


@slow
def test_an_item_depends_on_its_number_alone():
    stream = orrery.tasks("acp_app_gen", seed=2)
    first = list(islice(stream, 6))
    other = orrery.tasks("acp_app_gen", seed=2)
    assert [other.item(number).row for number in (5, 0, 3)] == [first[n].row for n in (5, 0, 3)]
    assert next(other).row == first[0].row
    again = pickle.loads(pickle.dumps(stream))
    assert next(again).row == next(stream).row


@slow
def test_neighbouring_seeds_share_no_problem():
    keys = [
        {
            item.row["strict_key"]
            for item in islice(orrery.tasks("text_to_pddl", "gripper", "medium", seed=s), 20)
        }
        for s in (0, 1)
    ]
    assert len(keys[0]) > 15
    assert len(keys[0] & keys[1]) <= 2  # two small problems may well be the same


@pytest.mark.parametrize("table", QUESTIONS)
def test_questions_stand_up_to_the_checks_of_the_dataset(table):
    for item in fresh(table):
        domain, problem = read(item.row)
        assert check(item.row, RecheckedState(domain, problem, 5.0, 20.0)) == []


@pytest.mark.parametrize("domain", [n for n in CATALOG.names if CATALOG.entry(n).description.texts])
def test_texts_have_plans_that_solve_their_problems(domain):
    for item in islice(orrery.tasks("text_to_pddl", domain, seed=9), 5):
        read_back = read_domain(item.row["domain_pddl"])
        problem = read_problem(item.row["problem_pddl"], read_back)
        assert item.row["solvable"]
        assert check_plan(read_back, problem, [parse_atom(step) for step in item.row["plan"]]).valid
        assert item.row["plan_cost"] == len(item.row["plan"])
        assert item.row["id"].startswith(f"{domain}/fresh-9/text_to_pddl-")


def test_domains_take_turns_and_a_named_one_stays():
    stream = orrery.tasks("acp_app_gen")
    assert len(stream.domains) > 10
    turns = [item.row["domain"] for item in islice(stream, 2 * len(stream.domains))]
    assert len(set(turns)) >= len(stream.domains) - 2  # where one has no item, the next one takes its turn
    assert {item.row["domain"] for item in islice(orrery.tasks("acp_app_gen", "swap"), 4)} == {"swap"}


def test_difficulty_and_kind_are_kept_to():
    stream = orrery.tasks("text_to_pddl", "blocksworld", "medium", kind="tower-to-stack")
    for item in islice(stream, 4):
        assert (item.row["difficulty"], item.row["name"]) == ("medium", "tower-to-stack")


@slow
def test_yes_is_as_often_right_as_no():
    answers = [item.row["answer"] for item in islice(orrery.tasks("acp_val_bool", "ferry"), 40)]
    assert 10 <= answers.count("yes") <= 30


@slow
def test_none_is_seldom_right():
    items = list(islice(orrery.tasks("acp_land_gen", "logistics"), 24))
    assert sum(item.gold == "ANSWER: None" for item in items) <= 12


def test_rows_with_an_empty_value_in_their_prompt_are_skipped(monkeypatch):
    stream = orrery.tasks("text_to_pddl", "blocksworld", seed=1)
    make, kept = stream._make, stream.item(1)

    def without_text(source, spot, max_states):
        row = make(source, spot, max_states)
        return row | {"natural_language": ""} if spot.attempt == 0 else row

    monkeypatch.setattr(stream, "_make", without_text)
    item = stream.item(1)
    assert item.row["natural_language"]
    assert item.row != kept.row
    assert stream.skipped["natural_language is empty"] == 1


def test_what_is_skipped_is_counted():
    stream = orrery.tasks("acp_app_gen", "blocksworld", max_states=30)
    next(stream)
    assert stream.skipped["more than 30 states"] > 0
    assert stream.skipped.total() == sum(stream.skipped.values())
    assert next(orrery.tasks("acp_app_gen", "blocksworld", max_states=30)).row["num_states"] <= 30


@slow
def test_where_nothing_can_be_made_it_says_why():
    stream = orrery.tasks("acp_app_gen", "blocksworld", max_states=1)
    with pytest.raises(OrreryError, match=r"none of \d+ draws gave an item: more than 1 states"):
        next(stream)


@slow
@pytest.mark.parametrize("table", ["acp_areach_gen", "acp_land_mcq", "acp_just_mcq"])
def test_two_examples_are_shown_where_the_domains_for_examples_have_few_rows(table):
    stream = orrery.tasks(table, style="two_shot", seed=1)
    examples = next(stream).examples
    assert len({example["id"] for example in examples}) == 2
    for example in examples:
        assert orrery.score(example["reply"], example, table).verdict == "right"
        assert check_trace(example.get("trace", example["reply"]), example) == "" or "trace" not in example


@slow
def test_a_split_is_kept_to():
    stream, size = orrery.tasks("text_to_pddl", split="train", seed=1), load_settings(ROOT).size
    for item in islice(stream, 30):
        entry = entry_of(ROOT, item.row["domain"])
        assert split_of(entry, size, item.row["loose_key"]) == "train"
        assert item.row["task"] not in entry.description.test_tasks
    assert stream.skipped["a problem of another split"] > 0
    assert "depots" not in orrery.tasks("acp_app_gen", split="train").domains  # test alone
    with pytest.raises(UsageError, match="held out"):
        orrery.tasks("acp_app_gen", "depots", split="train")
    assert next(orrery.tasks("acp_app_gen", "depots", split="test")).row["domain"] == "depots"


@by_day(1)
@pytest.mark.parametrize("domain", ["ferry", "logistics"])
def test_a_state_that_is_asked_about_without_its_goal_is_in_one_split(domain):
    size, keys = load_settings(ROOT).size, {}
    for split in ("train", "test"):
        stream = orrery.tasks("acp_app_gen", domain, split=split, seed=1)
        for item in islice(stream, 12):
            problem = read_problem(item.row["PDDL_problem"], read_domain(item.row["PDDL_domain"]))
            key = goal_free_key(read_domain(item.row["PDDL_domain"]), problem, problem.init)
            assert split_of(entry_of(ROOT, domain), size, key) == split
            keys.setdefault(split, set()).add(key)
        assert stream.skipped["without its goal, a state of another split"] > 0
    assert not keys["train"] & keys["test"]


@slow
@pytest.mark.parametrize("table", ["acp_app_gen", "plan_optimal", "text_to_pddl"])
def test_two_shots_show_worked_examples_of_other_domains(table):
    item = next(orrery.tasks(table, style="two_shot", seed=1))
    shown = {example["domain"] for example in item.examples}
    assert len(item.examples) == (0 if table == "text_to_pddl" else 2)  # its template has examples of its own
    domains = set(orrery.tasks(table).domains)
    assert not shown & domains
    assert len("".join(m["content"] for m in item.prompt)) > len(
        "".join(m["content"] for m in next(orrery.tasks(table, seed=1)).prompt)
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"table": "nothing"}, "'nothing'.*tables: text_to_pddl, acp_app_gen"),
        ({"table": "action_modeling"}, "has no fresh items"),
        ({"table": "acp_app_gen", "domain": "chess"}, "'chess'.*domains: alfworld, blocksworld"),
        ({"table": "text_to_pddl", "domain": "swap"}, "'swap'.*domains: blocksworld, depots, ferry"),
        ({"table": "acp_land_mcq", "domain": "ferry"}, "'ferry': has no fresh items.*domains: .*blocksworld"),
        ({"table": "text_to_pddl", "difficulty": "absurd"}, "'absurd'.*difficulties: easy, medium, hard"),
        ({"table": "text_to_pddl", "kind": "pile-to-heap"}, "'pile-to-heap'.*kinds: .*tower-to-stack"),
        ({"table": "text_to_pddl", "style": "ten_shot"}, "no style 'ten_shot'.*zero_shot"),
        ({"table": "text_to_pddl", "split": "some"}, "split 'some'.*splits: test"),
        ({"table": "text_to_pddl", "max_states": 0}, "give 1 or more"),
    ],
)
def test_what_there_is_not_is_named_with_what_there_is(names, message):
    with pytest.raises(UsageError, match=message):
        orrery.tasks(**names)
