"""Baselines: counted by hand on small rows, and never below what the graders give such replies."""

import json
import random
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.dataset import contents
from orrery.dataset.baselines import (
    EVERY,
    MAJORITY,
    NONE,
    RANDOM,
    baselines,
    measured,
    right_replies,
)
from orrery.grading import grade
from orrery.scoring.scorers.questions import kind_and_format
from tests.question_rows import ROWS, row

NONE_RIGHT = {"app-none", "prog-none", "land-none", "reach-none", "areach-none"}


def scores(rule, rows):
    return [each for each in measured(rows) if each.rule == rule]


def next_row(domain, yes, no):
    names = [f"(a o{i})" for i in range(yes + no)]
    return row(
        "goal_closer_gen",
        {"yes": names[:yes], "no": names[yes:], "maybe": [], "opt": "2"},
        domain=domain,
        kind="nexta",
    )


def test_a_random_action_scores_its_share_by_domain():
    rows = [next_row("x", 1, 3), next_row("x", 1, 1), next_row("y", 2, 1), ROWS["app"]]
    found = {each.domain: each for each in scores(RANDOM, rows)}
    assert found["x"].score == pytest.approx(3 / 8)
    assert found["y"].score == pytest.approx(2 / 3)
    assert found[EVERY].score == pytest.approx(float((Fraction(1, 4) + Fraction(1, 2) + Fraction(2, 3)) / 3))
    assert [found[name].rows for name in ("x", "y", EVERY)] == [2, 1, 3]
    assert scores(RANDOM, [ROWS["app"]]) == []


def test_drawn_actions_score_what_is_expected():
    rows = [next_row("x", 1, 3), next_row("x", 2, 3)]
    rng = random.Random(1)
    drawn = [rng.choice(each["answer"]["yes"] + each["answer"]["no"]) for each in rows * 4000]
    right = sum(action in each["answer"]["yes"] for action, each in zip(drawn, rows * 4000, strict=True))
    assert right / 8000 == pytest.approx(scores(RANDOM, rows)[-1].score, abs=0.02)


@pytest.mark.parametrize("name", [name for name in ROWS if not name.startswith("mc-")])
def test_none_is_right_where_the_grader_says_so(name):
    (found,) = scores(NONE, [ROWS[name]])
    assert found.score == grade("ANSWER: None", ROWS[name]).value == (name in NONE_RIGHT)


def test_none_is_measured_for_open_questions_alone():
    assert scores(NONE, [ROWS["mc-app"]]) == []


def test_the_majority_is_the_reply_that_is_right_most_often():
    letters = [{"group": "validation_mcq", "answer": letter} for letter in "ABBBD"]
    said = [{"group": "landmarks_bool", "answer": word} for word in ("yes", "no", "no")]
    shared = [next_row("x", 2, 1), next_row("x", 1, 0), next_row("x", 3, 0)]  # (a o0) is right in all
    found = {(each.kind, each.format): each.score for each in scores(MAJORITY, [*letters, *said, *shared])}
    assert found == {("validation", "mcq"): 3 / 5, ("landmarks", "bool"): 2 / 3, ("nexta", "gen"): 1}


def test_no_reply_drawn_beats_the_majority():
    rng = random.Random(2)
    for name in (name for name in ROWS if not name.startswith("mc-")):
        rows = [ROWS[name], ROWS[name], *(r for r in ROWS.values() if r["group"] == ROWS[name]["group"])]
        (best,) = scores(MAJORITY, rows)
        replies = [reply for each in rows for reply in right_replies(each)]
        for reply in rng.sample(replies, min(5, len(replies))):
            assert sum(reply in right_replies(each) for each in rows) / len(rows) <= best.score
        assert best.score > 0


def test_plans_that_are_right_are_those_that_the_grader_accepts():
    for plan in right_replies(ROWS["just"]):
        assert grade(f"ANSWER: {plan}", ROWS["just"]).verdict == "right"
    assert len(right_replies(ROWS["just"])) == 2


def test_kinds_and_formats():
    assert kind_and_format({"group": "reachable_atom_mc"}) == ("reachable_atom", "mcq")
    assert kind_and_format({"group": "progression_mcq", "kind": "prog"}) == ("prog", "mcq")
    assert kind_and_format({"group": "goal_closer_gen"}) == ("goal_closer", "gen")


@pytest.fixture
def dataset(tmp_path):
    letters = [
        {"id": str(i), "group": "validation_mcq", "kind": "val", "answer": a} for i, a in enumerate("AAB")
    ]
    for table, rows in (("acp_nexta_gen", [next_row("x", 1, 3)]), ("acp_val_mcq", letters)):
        for split in ("train", "test"):
            path = tmp_path / "data" / table / f"{split}-00000-of-00001.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(rows if split == "test" else rows[:1]), path)
    contents.write_manifest(tmp_path)
    return tmp_path


def test_a_dataset_is_measured_table_by_table(dataset):
    found = baselines(dataset, "test")
    rows = [next_row("x", 1, 3), *({"group": "validation_mcq", "kind": "val", "answer": a} for a in "AAB")]
    assert sorted(found) == sorted(measured(rows))
    by_rule = {(each.rule, each.kind): each for each in baselines(dataset)}
    assert by_rule["majority", "val"].score == 3 / 4
    assert by_rule["majority", "val"].rows == 4


def test_the_command_prints_the_figures(dataset):
    done = CliRunner().invoke(app, ["score", "baselines", "--dataset", str(dataset), "--json"])
    assert done.exit_code == 0, done.output
    assert {each["rule"] for each in json.loads(done.stdout)} == {
        "random applicable action",
        "None",
        "majority",
    }
    done = CliRunner().invoke(app, ["score", "baselines", "--dataset", str(dataset)])
    assert "0.667" in done.stdout
    assert CliRunner().invoke(app, ["score", "baselines", "--dataset", "nowhere"]).exit_code == 2
