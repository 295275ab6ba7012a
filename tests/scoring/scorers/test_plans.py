"""The scorer of the plan tables: what it makes of verdicts, and what it sums up."""

import pyarrow.parquet as pq
import pytest

from orrery.grading.score import RIGHT, UNPARSED, WRONG, Score
from orrery.model import OrreryError
from orrery.scoring import grades
from orrery.scoring.scorers import plans
from orrery.scoring.tally import tally
from orrery.store.columns import from_rows
from tests.scoring.command import call, predictions, printed, write_table

ROW = {
    "id": "ferry-1/a",
    "group": "plan_generation",
    "task": "generation",
    "domain": "ferry",
    "vocabulary": "plain",
}


@pytest.fixture
def scorer(monkeypatch):
    """A scorer whose grader reads the verdict in the reply, and the parts that the row holds."""

    def grade(reply, row):
        if not row["group"].startswith("plan_"):
            raise ValueError(f"group {row['group']!r} is not graded here")
        return Score(float(reply == RIGHT), reply, "" if reply == RIGHT else "line 1", row.get("parts", {}))

    monkeypatch.setattr(grades, "grade", grade)
    return plans.PlanScorer()


def tallied(scorer, *replies):
    """The summary of replies to rows: (verdict, what the row has more, the sample)."""
    scores = []
    for number, (reply, changes, *sample) in enumerate(replies):
        row = {**ROW, "id": f"row-{number:02}", **changes}
        scores.append({"id": row["id"], "sample": "".join(sample), **scorer.measure(row, reply)})
    return tally(from_rows(scorer.schema(), scores), scorer.measures, len(replies))


def test_a_score_has_the_columns_of_its_table(scorer):
    score = scorer.measure(ROW, RIGHT)
    assert {"id", "sample", *score} == set(scorer.schema().names)
    assert (score["verdict"], score["detail"], score["form"], score["f1"]) == ("right", "", "", None)
    assert scorer.measure({**ROW, "parts": {"cost_ratio": 0.5}}, WRONG)["cost_ratio"] == 0.5
    parts = {"verdict": 1.0, "step": 0.0, "literals": 0.0}
    checked = scorer.measure({**ROW, "group": "plan_verification", "parts": parts}, WRONG)
    assert [checked[f"{name}_right"] for name in parts] == [1.0, 0.0, 0.0]


def test_a_row_of_another_family_is_an_error(scorer):
    with pytest.raises(OrreryError, match="row ferry-1/a"):
        scorer.measure({**ROW, "group": "app_gen"}, RIGHT)


def test_columns_that_no_grader_reads_stay_on_disk(scorer):
    assert all(map(scorer.reads, ("problem_pddl", "nl_templates", "given_actions", "twin_group", "answer")))
    assert not any(map(scorer.reads, ("context", "question_pddl", "given_examples", "context_both")))


def test_shares_by_task_vocabulary_and_form(scorer):
    misleading = {"vocabulary": "misleading"}
    told_anew = {"group": "plan_reformulation", "task": "reformulation"}
    summary = tallied(
        scorer,
        (RIGHT, {}),
        (UNPARSED, misleading),
        (WRONG, {**told_anew, "form": "reworded", "twin_group": "t"}),
        (RIGHT, {**told_anew, "form": "plain", "twin_group": "t"}),
    )
    by = {
        name: {value: figures["shares"]["right"]["share"] for value, figures in values.items()}
        for name, values in summary["by"].items()
    }
    assert by == {
        "domain": {"ferry": 0.5},
        "task": {"generation": 0.5, "reformulation": 0.5},
        "vocabulary": {"misleading": 0.0, "plain": round(2 / 3, 6)},
        "form": {"plain": 1.0, "reworded": 0.0},
    }


def test_means_are_taken_of_the_tasks_that_have_them(scorer):
    parts = {"group": "plan_verification", "parts": {"verdict": 1.0, "step": 0.0, "literals": 0.0}}
    summary = tallied(scorer, (RIGHT, {}), (WRONG, parts), (RIGHT, {"parts": {"f1": 0.5}}))
    means = {name: (mean["value"], mean["of"]) for name, mean in summary["overall"]["means"].items()}
    assert means == {
        "cost_ratio": (None, 0),
        "f1": (0.5, 1),
        "verdict_right": (1.0, 1),
        "step_right": (0.0, 1),
        "literals_right": (0.0, 1),
    }


def test_groups_answered_alike(scorer):
    def twin(name, **overrides):
        return {"group": "plan_reformulation", "twin_group": name, "form": "plain", **overrides}

    summary = tallied(
        scorer,
        *[(RIGHT, twin("a")), (RIGHT, twin("a"))],
        *[(WRONG, twin("b")), (UNPARSED, twin("b"))],  # neither is right
        *[(RIGHT, twin("c")), (WRONG, twin("c")), (RIGHT, twin("c"))],
        *[(RIGHT, twin("d"))],  # alone
        *[(RIGHT, twin("d", vocabulary="misleading"))],  # other words: another problem to the reader
        *[(RIGHT, twin("e"), "0"), (WRONG, twin("e"), "1")],  # samples are compared by number
        (WRONG, {}),
    )
    alike = summary["overall"]["alike"]["groups answered alike"]
    assert (alike["yes"], alike["no"], alike["share"]) == (2, 1, round(2 / 3, 6))
    assert "alike" not in summary["by"]["domain"]["ferry"]


DOMAIN = (
    """(define (domain lamps) (:predicates (lit ?l)) (:action light :parameters (?l) :effect (lit ?l)))"""
)
PROBLEM = "(define (problem p) (:domain lamps) (:objects a b) (:init) (:goal (and (lit a) (lit b))))"


@pytest.mark.slow
def test_the_command_scores_replies_to_plan_tables(tmp_path):
    phrases = '{"actions": {"light": ["light lamp {0}"]}, "facts": {"lit": ["lamp {0} is lit"]}}'
    shared = {
        **ROW,
        "group": "plan_reformulation",
        "task": "reformulation",
        "twin_group": "t",
        "context": "c",
    }
    posed = {"domain_pddl": DOMAIN, "problem_pddl": PROBLEM, "nl_templates": phrases}
    rows = [{**shared, **posed, "id": form, "form": form} for form in ("plain", "reworded", "shuffled")]
    write_table(tmp_path, "plan_reformulation", rows)
    replies = [
        "[PLAN]\n(light a)\n(light b)\n[PLAN END]",
        "1. Light the lamp B.\n2. light lamp a",
        "(light a)",
    ]
    outputs = dict(zip((row["id"] for row in rows), replies, strict=True))
    path = predictions(tmp_path / "said.jsonl", outputs)
    summary = call("plans", path, tmp_path)
    right = {form: figures["shares"]["right"]["yes"] for form, figures in summary["by"]["form"].items()}
    assert right == {"plain": 1, "reworded": 1, "shuffled": 0}
    assert summary["overall"]["alike"]["groups answered alike"]["no"] == 1
    assert "groups answered alike" in printed("plans", path, tmp_path)
    scores = pq.read_table(tmp_path / "said.grades.parquet").to_pylist()
    assert [score["verdict"] for score in scores] == ["right", "right", "wrong"]
    assert "goal" in scores[2]["detail"] or "lit b" in scores[2]["detail"]
