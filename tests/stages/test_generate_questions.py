"""Stage ``generate-questions`` on a tiny build of all domains: the rows, their order, and the rejects."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from orrery.config import load
from orrery.families.questions.states import state_record
from orrery.problems.schemas import REJECTS
from orrery.stages.generate_questions import states_of
from orrery.store.shards import read_rows
from tests.checkout import checkout, must, tiny_build
from tests.every_domain import entry
from tests.tables import QUESTIONS

pytestmark = pytest.mark.slow

ASKED = ("ferry", "visitall")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Some domains up to the questions, with enough states to count."""
    root = checkout(tmp_path_factory.mktemp("asked"), ASKED)
    params = root / "params.yaml"
    params.write_text(
        params.read_text().replace(
            "problems_with_questions: 2, states: 2", "problems_with_questions: 5, states: 4"
        )
    )
    for name in ASKED:
        for stage in ("generate", "solve", "generate-questions"):
            must(root, stage, name, "--jobs", "1")
    return root


def rows(root, name):
    """The rows of every table of a domain."""
    folder = root / "outputs" / "questions" / name
    return {
        table: list(read_rows(folder / f"{table}.parquet", schema)) for table, schema in QUESTIONS.items()
    }


def split(row):
    return row["problem_id"].split("/")[1]


@pytest.mark.parametrize("name", ASKED)
def test_yes_and_no_are_equally_frequent_in_every_split(built, name):
    made = 0
    for table, some in rows(built, name).items():
        if table.endswith("_bool"):
            counts = Counter((split(row), row["answer"]) for row in some)
            assert all(counts[where, "yes"] == counts[where, "no"] for where, _ in counts)
            made += len(some)
    assert made >= 10


@pytest.mark.parametrize("name", ASKED)
def test_a_state_is_asked_once_in_each_kind_and_format_and_not_more_than_wanted(built, name):
    for table, some in rows(built, name).items():
        assert len({row["id"] for row in some}) == len(some)
        assert max(Counter(map(split, some)).values(), default=0) <= load(built).size.ask.questions
        kind, form = table.split("_")[1:]
        for row in some:
            ending = f"/{kind}" if form == "gen" else f"/{kind}/{form}"
            assert row["id"] == f"{row['problem_id']}/{row['state_source']}-{row['state_step']}{ending}"


@pytest.mark.parametrize("name", ASKED)
def test_what_is_not_asked_is_named_once_with_its_reason(built, name):
    rejects = list(read_rows(built / "outputs" / "questions" / name / "rejects.parquet", REJECTS))
    assert len({row["item"] for row in rejects}) == len(rejects)
    states = {f"{row['problem_id']}/{row['state_id']}" for row in states_of(load(built), name).rows}
    for row in rejects:
        item, _, what = row["item"].rpartition("/")
        assert item in states
        assert f"acp_{what}" in QUESTIONS
        assert row["reason"].startswith(f"{what}: ")


def test_sources_and_problems_take_turns(built):
    for name in ASKED:
        states = states_of(load(built), name).full()
        assert not any(row["planned"] for row in states), "the size asks for none"
        seen = defaultdict(list)
        for row in states:
            seen[row["problem_id"]].append(row["source"])
        first = states[: len(seen)]
        assert {row["problem_id"] for row in first} == set(seen), "one state of every problem comes first"
        assert len({row["source"] for row in first}) > 1, "not the initial states before all others"
        assert sorted(row["number"] for row in states) == list(range(len(states)))
        turns = Counter((row["split"], row["turn"]) for row in states)
        assert set(turns.values()) == {1}


def test_a_state_read_back_has_what_is_proven_of_it(built):
    for row in states_of(load(built), "ferry").full():
        item = state_record(entry("ferry").domain, row)
        assert item.problem.init == {tuple(fact.strip("()").split()) for fact in row["state"]}
        assert (item.landmarks is None) == (not row["landmarks_complete"])
        assert (item.plan is None) == (not row["plan"])
        assert (item.optimal_first_actions is None) == (not row["next_complete"])
        open_row = {**row, "actions_complete": False, "facts_complete": False, "landmarks_complete": False}
        bare = state_record(entry("ferry").domain, {**open_row, "next_complete": False, "plan": []})
        known = (bare.landmarks, bare.unreachable_facts, bare.reachable_actions, bare.unreachable_actions)
        assert {*known, bare.optimal_first_actions, bare.not_optimal_first_actions, bare.plan} == {None}


@pytest.mark.xdist_group("tiny")
def test_every_domain_is_asked_in_every_kind_and_format_or_says_why():
    """On the tiniest build a table may be empty, but never without a reason for every state."""
    root = tiny_build()
    for folder in sorted((root / "outputs" / "questions").iterdir()):
        reasons = Counter(
            row["item"].rpartition("/")[2] for row in read_rows(folder / "rejects.parquet", REJECTS)
        )
        for table, some in rows(root, folder.name).items():
            assert some or reasons[table.removeprefix("acp_")], (folder.name, table)
