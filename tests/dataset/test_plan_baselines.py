"""Replies without skill to the plan tables: what they say, what they score, and when that is too much."""

import random
import re
from itertools import pairwise
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.corpus.static_conditions import read_pair
from orrery.dataset import contents, plan_baselines
from orrery.dataset.adversary.verdict import FAILED, NOISE, WITHIN
from orrery.dataset.plan_baselines import PlanAttempts, PlanBaseline, measured, plan_reply, walk
from orrery.dataset.plan_report import PlanFigures, plan_figures
from orrery.dataset.report import link
from orrery.dataset.row_counts import count_rejects, count_rows
from orrery.families.problems.schemas import REJECTS, reject
from orrery.grading.score import score_of
from orrery.language.words import environment
from orrery.pddl.write import parse_atom
from orrery.semantics.execution import check_plan
from orrery.semantics.grounding import ground
from orrery.store.shards import write
from tests.every_domain import ROOT

DOMAIN = """(define (domain corridor) (:predicates (at ?r) (next ?r ?s) (seen ?r))
(:action go :parameters (?r ?s) :precondition (and (at ?r) (next ?r ?s))
 :effect (and (at ?s) (seen ?s) (not (at ?r)))))"""
ROOMS = "abcdefgh"


def problem(goal, start="a"):
    beside = list(pairwise(ROOMS))
    facts = " ".join(f"(next {one} {two}) (next {two} {one})" for one, two in beside)
    return (
        f"(define (problem p) (:domain corridor) (:objects {' '.join(ROOMS)}) "
        f"(:init (at {start}) {facts}) (:goal (at {goal})))"
    )


def go(path):
    return [f"(go {one} {two})" for one, two in pairwise(path)]


def row(task, number=0, **more):
    return {
        "id": f"corridor-{number}",
        "group": f"plan_{task}",
        "domain": "corridor",
        "problem_id": f"corridor/{number}",
        "domain_pddl": DOMAIN,
        "problem_pddl": problem("e"),
        "plan": go("abcde"),
        **more,
    }


@pytest.fixture(autouse=True)
def graded(monkeypatch):
    """Replies are graded by executing them, or compared with the answer that the row has as text."""

    def grade(reply, row):
        if "right" in row:
            return score_of(reply == f"ANSWER: {row['right']}", "another")
        steps = [parse_atom(line) for line in re.findall(r"\(.*\)", reply)]
        return score_of(check_plan(*read_pair(DOMAIN, row["problem_pddl"]), steps).valid, "no plan")

    monkeypatch.setattr(plan_baselines, "grade", grade)


def scores(rows, domain="corridor"):
    return {each.rule: each.score for each in measured(rows) if each.domain == domain}


def chances(rows):
    return {each.rule: each.chance for each in measured(rows) if not each.domain}


def test_parts_of_the_shown_plan_are_tried():
    copied = row("reuse", 0, shown=go("abcde"))
    begun = row("reuse", 1, shown=go("abcdef"))
    later = row("replanning", 2, shown=go("abcde"), problem_pddl=problem("e", start="c"))
    none = row("reuse", 3, shown=go("hgfed"))
    assert scores([copied, begun, none]) == pytest.approx(
        {
            "copy the shown plan": 1 / 3,
            "the first line of the shown plan": 0,
            "an earlier part of the shown plan": 1 / 3,
            "a later part of the shown plan": 0,
            "no step": 0,
            "a random walk": 0,
        },
        abs=1e-4,
    )
    assert scores([later])["a later part of the shown plan"] == 1
    assert scores([{**none, "problem_pddl": problem("a")}])["no step"] == 1
    assert scores([row("reuse", shown=go("abcde"), problem_pddl=problem("b"))])[
        "the first line of the shown plan"
    ]


def test_examples_are_copied():
    examples = [{"problem_pddl": "", "plan": go("hg")}, {"problem_pddl": "", "plan": go("abcde")}]
    found = scores(
        [
            row("generalization", shown_examples=examples),
            row("generalization", 1, shown_examples=examples[:1]),
        ]
    )
    assert found["copy the shown plan"] == 0.5
    assert found["the first line of the shown plan"] == 0


def test_the_first_applicable_action_is_a_rule_where_nothing_is_shown():
    found = scores([row("generation"), row("generation", 1, problem_pddl=problem("b"))])
    assert set(found) == {"no step", "the first applicable action", "a random walk"}
    assert found["the first applicable action"] == 0.5


def test_a_walk_is_applicable_and_as_long_as_the_plan_and_always_the_same():
    task = ground(*read_pair(DOMAIN, problem("h")))
    steps = walk(task, 9, random.Random(3))
    domain, posed = read_pair(DOMAIN, problem("h"))
    assert len(steps) == 9
    assert steps == walk(task, 9, random.Random(3))
    assert check_plan(domain, posed, map(parse_atom, steps)).failed_at is None
    stuck = ground(*read_pair(DOMAIN, problem("h", start="a").replace("(next a b)", "")))
    assert walk(stuck, 3, random.Random(3)) == []
    assert scores([row("generation", plan=["(go a b)"], problem_pddl=problem("b"))])["a random walk"] == 1


def test_solvability_is_half_none():
    rows = [row("solvability", 0, plan=[], right="none"), row("solvability", 1, right="")]
    found, by_chance = scores(rows), chances(rows)
    assert (found["there is none"], by_chance["there is none"]) == (0.5, 0.5)
    assert by_chance["a random walk"] == by_chance["the first applicable action"] == 0


def test_verification_is_half_valid():
    def shown(number, fails_at, missing=(), length=4):
        valid = not fails_at
        right = "valid" if valid else "invalid"
        return row(
            "verification", number, shown=go(ROOMS)[:length], valid=valid, fails_at=fails_at,
            missing=list(missing), right=right,
        )  # fmt: skip

    rows = [shown(0, 0), shown(1, 0), shown(2, 3, ["(at b)"]), shown(3, 1, ["(at a)"], 2)]
    found, by_chance = scores(rows), chances(rows)
    assert (found["valid"], by_chance["valid"]) == (0.5, 0.5)
    assert (found["the most common answer"], by_chance["the most common answer"]) == (0.5, 0.5)
    failing = "the step that fails most often, of those that fail"
    assert (found[failing], by_chance[failing]) == (0.5, (1 / 4 + 1 / 2) / 2)
    (figure,) = [each for each in measured(rows) if (each.rule, each.domain) == (failing, "")]
    assert figure.rows == 2
    assert figure.tried == 2 * 6  # two steps to choose from, and three rules in a domain and in all


def test_execution_leaves_the_state_as_it_is():
    rows = [
        row("execution", 0, shown=go("aba"), answer=["(at a)", "(seen a)", "(seen b)"], right="…"),
        row("execution", 1, shown=go("ab"), answer=["(at a)"], right="(at a)"),
    ]
    assert scores(rows) == {"nothing changes": 0.5, "the most common answer": 0.5}
    assert set(chances(rows).values()) == {0}


def test_causality_asks_for_none_of_the_steps_beside():
    shown = go("abcdefgh")
    rows = [
        row("causality", 0, asked="provider", shown=shown, step=5, answer=0, right="0"),
        row("causality", 1, asked="provider", shown=shown, step=3, answer=1, right="1"),
        row("causality", 2, asked="fails", shown=shown, step=2, answer=7, right="7"),
        row("causality", 3, asked="fails", shown=shown, step=3, answer=4, right="4"),
    ]
    assert scores(rows) == {
        "the step beside": 0.25,
        "the initial state": 0.5,
        "the last step": 0.5,
        "the most common step that provides": 0.5,
        "the most common step that fails": 0.5,
    }
    by_chance = chances(rows)
    assert by_chance["the initial state"] == (1 / 4 + 1 / 2) / 2
    assert by_chance["the last step"] == pytest.approx((1 / 4 + 1 / 3) / 2, abs=1e-4)


def test_few_rows_are_noise_and_many_are_too_much():
    def figure(rows, score, chance=0.0, tried=10):
        return PlanBaseline("reuse", "", "copy", rows, score, chance, float(rows), tried)

    assert figure(6, 1 / 6).verdict == NOISE
    assert figure(6, 0.0).verdict == WITHIN
    assert figure(400, 0.03).verdict == WITHIN
    assert figure(400, 0.04).verdict == NOISE
    assert figure(400, 0.10).verdict == FAILED
    assert figure(400, 0.52, 0.5).verdict == WITHIN
    assert figure(1000, 0.62, 0.5).verdict == FAILED
    assert figure(12, 1.0).verdict == FAILED
    assert "scores 10.0 % of 400 rows of reuse; chance is 0.0 %, the limit 3.0 %" in str(figure(400, 0.1))


def test_rows_of_one_problem_count_as_fewer():
    rows = [row("reuse", n, shown=go("abcde"), problem_id="corridor/0") for n in range(30)]
    (copied,) = [each for each in measured(rows) if each.rule.startswith("copy") and not each.domain]
    assert (copied.rows, copied.independent, copied.verdict) == (30, 1.0, NOISE)
    apart = [each | {"problem_id": str(n)} for n, each in enumerate(rows)]
    failed = {each.rule for each in measured(apart) if each.verdict == FAILED}
    assert failed - {"a random walk"} == {"copy the shown plan"}


def stored(folder, task, rows):
    """A dataset with one plan table."""
    path = folder / "data" / f"plan_{task}" / "test-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    columns = plan_baselines.PLANS[task]
    blank = {field.name: None for field in columns}
    table = pa.Table.from_pylist([blank | each for each in rows], schema=columns.remove_metadata())
    pq.write_table(pa.table(table.columns, schema=pa.schema([f.with_nullable(True) for f in columns])), path)
    contents.write_manifest(folder)


def test_every_table_of_a_dataset_is_tried_and_a_malformed_value_is_a_fault(tmp_path):
    stored(tmp_path, "reuse", [row("reuse", n, shown=go("abcde")) for n in range(12)])
    stored(tmp_path, "generation", [row("generation", domain_pddl="(define")])
    tried = (plan_baselines.tried_in(tmp_path, name) for name in plan_baselines.plan_tables(tmp_path))
    generation, reuse = plan_baselines.with_figures(tried)
    assert generation.table == "plan_generation"
    assert [domain for domain, _ in generation.verdicts()] == [""]
    assert "cannot be tried" in generation.verdicts()[0][1][0]
    found = dict(reuse.verdicts())
    assert set(found) == {"", "corridor"}
    assert len(found["corridor"]) == 1
    assert "'copy the shown plan' scores 100.0 %" in found["corridor"][0]
    assert reuse.as_json()["figures"][0]["limit"] == 0.03


@pytest.fixture
def settings(tmp_path):
    return SimpleNamespace(outputs=tmp_path / "outputs", domains=["corridor"])


def test_rejects_are_counted_by_task_and_rule(settings):
    assert plan_figures(count_rows(settings.outputs / "dataset"), []) is None
    stored(settings.outputs / "dataset", "reuse", [row("reuse", n, shown=go("abc")) for n in range(2)])
    reasons = ["plan_reuse: prefix_solves", "reuse: prefix_solves", "reuse: goal_holds"]
    rejects = [reject("pose", "corridor", "x", reason) for reason in reasons]
    rejects.append(reject("ask", "corridor", "x", "land_bool: odd"))
    write(settings.outputs / "plans" / "corridor" / "rejects.parquet", REJECTS, rejects)
    found = plan_figures(count_rows(settings.outputs / "dataset"), count_rejects(settings))
    assert found.rows == {"corridor": {"reuse": 2}}
    assert found.rejected == {
        ("reuse", "goal_holds"): {"corridor": 1},
        ("reuse", "prefix_solves"): {"corridor": 2},
    }
    assert found.not_asked("corridor", "reuse") == [("prefix_solves", 2), ("goal_holds", 1)]
    assert (found.total(), found.total("reuse"), found.total("optimal")) == (2, 2, 0)
    assert found.as_json()["rows"] == found.rows


def test_the_page_marks_what_is_above_the_limit():
    figures = [
        PlanBaseline("reuse", "", "copy <it>", 400, 0.2, 0.0, 400.0),
        PlanBaseline("reuse", "corridor", "copy <it>", 400, 0.2, 0.0, 400.0),
        PlanBaseline("reuse", "", "no step", 400, 0.0, 0.0, 400.0),
        PlanBaseline("reuse", "corridor", "no step", 6, 0.1667, 0.0, 6.0),
    ]
    unread = PlanAttempts("plan_optimal", (), "cannot be tried: <odd>")
    rejected = {("reuse", "goal_holds"): {"corridor": 3}}
    plans = PlanFigures(
        ["reuse"], {"corridor": {"reuse": 400}}, rejected, [PlanAttempts("t", figures), unread]
    )
    page = environment(ROOT / "templates").get_template("report/plans.html.j2").render(plans=plans, link=link)
    assert "copy &lt;it&gt;" in page
    assert "goal_holds: 3" in page
    assert page.count('<td class="bad">too much</td>') == 2
    assert "above the limit, within the noise" in page
    assert "plan_optimal: cannot be tried: &lt;odd&gt;" in page


def test_a_reply_has_a_step_a_line():
    assert plan_reply(["(go a b)", "(go b c)"]) == "[PLAN]\n(go a b)\n(go b c)\n[PLAN END]"
