"""Difficulties grow with plans and goals, are corrected by replies, and have honest errors."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from orrery.evaluation.asked import AskedTable
from orrery.evaluation.difficulty import (
    EarlierReply,
    difficulties,
    difficulty_model,
    estimate,
    indicator,
    information,
    posterior_mode,
    structure_of,
    success,
)
from orrery.evaluation.results.runs import ABILITY, write_run
from orrery.library.items import Item
from orrery.yaml_text import read_yaml
from tests.evaluation.results.samples import ABOUT
from tests.evaluation.results.samples import row as scored
from tests.evaluation.takers import rank_correlation
from tests.every_domain import ROOT

MODEL = difficulty_model(ROOT)
GOAL = "(define (problem p) (:domain d) (:init) (:goal {}))"


def made(table, count, **columns):
    rows = [{"id": f"{place:04}", "kind": "app", "domain": "ferry", **columns} for place in range(count)]
    return {(table, row["id"]): Item(table, row, "zero_shot", ROOT) for row in rows}


def answered(rng, abilities, truth):
    return [
        EarlierReply(f"run{number}", key, bool(rng.random() < expit(ability - value)))
        for number, ability in enumerate(abilities)
        for key, value in truth.items()
    ]


def test_longer_plans_more_objects_and_more_goals_are_harder():
    usual = {"h_star": 8, "num_objects": 5, "problem_pddl": GOAL.format("(and (a) (b))")}
    for harder in (
        {"h_star": 20},
        {"num_objects": 12},
        {"problem_pddl": GOAL.format("(and (a) (b) (not (c)))")},
    ):
        assert MODEL.predict(usual | harder) > MODEL.predict(usual)
    assert MODEL.predict({}) == MODEL.intercept


def test_the_structure_is_read_from_the_columns_of_a_row():
    assert structure_of({"h_star": None, "plan_length": 0}) == {"steps": 0.0}
    assert structure_of({"h_star": 3, "plan_length": 9})["steps"] == pytest.approx(np.log(4))
    goals = {"(and)": 0, "(and (a) (b))": 2, "(a)": 1, "(not (a))": 1}
    for goal, count in goals.items():
        literals = structure_of({"problem_pddl": GOAL.format(goal)})["goal_literals"]
        assert literals == pytest.approx(np.log1p(count))


def test_the_effects_are_those_of_logistic_regression():
    rng = np.random.default_rng(1)
    design = indicator([str(place) for place in rng.integers(6, size=300)], [str(n) for n in range(6)])
    right = (rng.random(300) < 0.6).astype(float)
    none = np.zeros(300)
    mode, variances = posterior_mode(design, np.full(6, 0.5), right, none, none)
    other = LogisticRegression(C=0.25, fit_intercept=False, tol=1e-8).fit(design, right)
    np.testing.assert_allclose(mode, other.coef_[0], atol=1e-3)
    assert np.all(variances < 0.25)


@pytest.mark.parametrize("guess", [0.0, 0.25, 0.5])
def test_information_is_the_variance_of_the_score(guess):
    logits, step = np.linspace(-3, 3, 13), 1e-5
    guesses = np.full(13, guess)
    chance = success(logits, guesses)
    slope = (success(logits + step, guesses) - success(logits - step, guesses)) / (2 * step)
    np.testing.assert_allclose(information(logits, guesses), slope**2 / (chance * (1 - chance)), rtol=1e-6)
    assert success(np.array([-50.0]), guesses[:1])[0] == pytest.approx(guess, abs=1e-9)


def test_planted_difficulties_are_recovered_within_their_errors():
    rng = np.random.default_rng(2)
    items = made("plan_generation", 200)
    truth = {key: MODEL.intercept + rng.normal(0, MODEL.row_sd) for key in items}
    rows = estimate(MODEL, items, answered(rng, rng.normal(0, MODEL.ability_sd, 40), truth))
    assert rank_correlation([rows[key].value for key in items], [*truth.values()]) > 0.75
    z = np.array([(rows[key].value - value) / rows[key].error for key, value in truth.items()])
    assert 0.9 < np.mean(np.abs(z) < 1.96) <= 1
    assert all(row.error < MODEL.row_sd for row in rows.values())


def test_replies_move_their_row_and_the_other_rows_of_its_table():
    items = made("plan_reuse", 30) | made("plan_optimal", 30)
    replies = [EarlierReply("r", key, key[0] == "plan_reuse") for key in items if key[1] < "0020"]
    rows = estimate(MODEL, items, replies)
    before = estimate(MODEL, items, [])
    for number in ("0000", "0029"):
        assert rows["plan_optimal", number].value > before["plan_optimal", number].value
        assert rows["plan_reuse", number].value < before["plan_reuse", number].value
    assert rows["plan_reuse", "0000"].value < rows["plan_reuse", "0029"].value
    assert rows["plan_reuse", "0000"].error < rows["plan_reuse", "0029"].error


def test_levels_of_explicitness_have_effects_of_their_own():
    sparse = made("action_modeling", 20, explicitness="sparse")
    items = sparse | {
        (table, f"e{row_id}"): Item(table, {**item.row, "explicitness": "explicit"}, item.style, ROOT)
        for (table, row_id), item in sparse.items()
    }
    rows = estimate(MODEL, items, [EarlierReply("r", key, key not in sparse) for key in items])
    assert min(rows[key].value for key in sparse) > max(rows[key].value for key in items if key not in sparse)


def test_guesses_are_those_of_the_format():
    items = made("acp_app_bool", 1) | made("acp_app_mcq", 1) | made("acp_app_gen", 1)
    assert [row.guess for row in estimate(MODEL, items, []).values()] == [0.5, 0.25, 0.0]


def test_only_decided_replies_of_complete_tests_of_the_same_data_count(tmp_path):
    rows = [
        scored("0000", verdict="right"),
        scored("0001", verdict="wrong"),
        scored("0002", verdict="failed"),
    ]
    write_run(tmp_path / "same", [*rows, scored("elsewhere")], ABOUT)
    write_run(tmp_path / "other", rows, {**ABOUT, "data": "other"})
    write_run(tmp_path / "adaptive", rows, {**ABOUT, ABILITY: {"value": 0.0}})
    table = AskedTable("acp_app_gen", made("acp_app_gen", 5).values(), "test")
    result = difficulties([table], ABOUT["data"], tmp_path, [].append)
    assert (result.runs, result.replies) == (("same",), 2)
    easy, hard, *unanswered = result.rows.values()
    assert easy.value < unanswered[0].value < hard.value
    assert unanswered[0] == unanswered[1]
    alone = difficulties([table], "fresh", tmp_path, [].append)
    assert (alone.runs, alone.replies) == ((), 0)
    assert {row.value for row in alone.rows.values()} == {MODEL.intercept}


def test_a_reply_after_a_correction_does_not_count(tmp_path):
    table = AskedTable("acp_app_gen", made("acp_app_gen", 2).values(), "test")
    first = scored("0000", verdict="wrong", is_last=False)
    write_run(tmp_path / "corrected", [first, scored("0000", verdict="right", turn=1)], ABOUT)
    result = difficulties([table], ABOUT["data"], tmp_path, [].append)
    corrected, unanswered = result.rows.values()
    assert result.replies == 1
    assert corrected.value > unanswered.value


def test_a_damaged_run_is_left_out_with_a_message(tmp_path):
    write_run(tmp_path / "whole", [scored("0000")], ABOUT)
    write_run(tmp_path / "damaged", [scored("0000")], ABOUT)
    (tmp_path / "damaged" / "scores.parquet").write_bytes(b"PAR1")
    messages = []
    table = AskedTable("acp_app_gen", made("acp_app_gen", 1).values(), "test")
    assert difficulties([table], ABOUT["data"], tmp_path, messages.append).runs == ("whole",)
    assert [message.startswith("left out: run damaged: ") for message in messages] == [True]


@pytest.mark.slow
def test_the_stored_coefficients_are_fitted_to_the_published_replies(cases):
    spec = importlib.util.spec_from_file_location("difficulty", ROOT / "benchmarks" / "difficulty.py")
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    replies = benchmark.Replies(cases / "replies")
    stored = read_yaml(ROOT / "templates" / "evals" / "difficulty.yaml")["model"]
    fitted = benchmark.content(replies, stored["row_sd"])
    assert fitted["intercept"] == pytest.approx(stored["intercept"], abs=0.02)
    for name, feature in fitted["features"].items():
        assert feature == pytest.approx(stored["features"][name], abs=0.02)
    everything = np.arange(len(replies.right))
    areas = [
        benchmark.area(replies, benchmark.held_out(replies, names, 0), everything)
        for names in (("steps",), benchmark.FITTED)
    ]
    assert areas[1] > 0.65
    assert areas[1] > areas[0] > 0.6
