"""Replies to plan tasks that are written without planning: their text, their scores, their limit."""

import re
from itertools import pairwise

import pytest

from orrery.dataset.adversary import attack, targets
from orrery.dataset.adversary.rules import written
from orrery.dataset.adversary.targets import fold_rows
from orrery.dataset.adversary.verdict import FAILED, NOISE, WITHIN, TrickFigure, figures
from orrery.families import table_of
from orrery.families.plans.plan_task import plan_reply
from orrery.grading.score import score_of
from orrery.pddl.write import parse_atom
from orrery.planning.execution import check_plan
from orrery.planning.static_conditions import read_pair

DOMAIN = """(define (domain corridor) (:predicates (at ?r) (next ?r ?s) (seen ?r))
(:action go :parameters (?r ?s) :precondition (and (at ?r) (next ?r ?s))
 :effect (and (at ?s) (seen ?s) (not (at ?r)))))"""
ROOMS = "abcdefgh"


def problem(goal, start="a"):
    beside = list(pairwise(ROOMS))
    facts = " ".join(f"(next {first} {two}) (next {two} {first})" for first, two in beside)
    return (
        f"(define (problem p) (:domain corridor) (:objects {' '.join(ROOMS)}) "
        f"(:init (at {start}) {facts}) (:goal (at {goal})))"
    )


def go(path):
    return [f"(go {first} {two})" for first, two in pairwise(path)]


def row(task, number=0, **overrides):
    return {
        "id": f"corridor-{number}",
        "group": f"plan_{task}",
        "domain": "corridor",
        "problem_id": f"corridor/{number}",
        "domain_pddl": DOMAIN,
        "problem_pddl": problem("e"),
        "plan": go("abcde"),
        "context": "c",
        "question": "q",
        **overrides,
    }


@pytest.fixture(autouse=True)
def graded(monkeypatch):
    """Replies are graded by executing them, or compared with the answer that the row has as text."""

    def grade(reply, row):
        if "right" in row:
            return score_of(reply == f"ANSWER: {row['right']}", "another")
        steps = [parse_atom(line) for line in re.findall(r"\(.*\)", reply)]
        return score_of(check_plan(*read_pair(DOMAIN, row["problem_pddl"]), steps).valid, "no plan")

    monkeypatch.setattr(targets, "grade", grade)


def measured(rows):
    table = rows[0]["group"]
    folded = fold_rows(table_of(table).attack, ((row, False) for row in rows))
    return figures(table, folded, list(written(folded)))


def scores(rows, domain="corridor"):
    return {figure.rule: figure.score for figure in measured(rows) if figure.domain == domain}


def chances(rows):
    return {figure.rule: figure.chance for figure in measured(rows) if not figure.domain}


def test_parts_of_the_shown_plan_are_tried():
    copied = row("reuse", 0, given_actions=go("abcde"))
    begun = row("reuse", 1, given_actions=go("abcdef"))
    later = row("replanning", 2, given_actions=go("abcde"), problem_pddl=problem("e", start="c"))
    no_answer = row("reuse", 3, given_actions=go("hgfed"))
    assert scores([copied, begun, no_answer]) == pytest.approx(
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
    assert scores([{**no_answer, "problem_pddl": problem("a")}])["no step"] == 1
    assert scores([row("reuse", given_actions=go("abcde"), problem_pddl=problem("b"))])[
        "the first line of the shown plan"
    ]


def test_examples_are_copied():
    examples = [{"problem_pddl": "", "plan": go("hg")}, {"problem_pddl": "", "plan": go("abcde")}]
    scores_read = scores(
        [
            row("generalization", given_examples=examples),
            row("generalization", 1, given_examples=examples[:1]),
        ]
    )
    assert scores_read["copy the shown plan"] == 0.5
    assert scores_read["the first line of the shown plan"] == 0


def test_the_first_applicable_action_is_a_rule_where_nothing_is_shown():
    scores_read = scores([row("generation"), row("generation", 1, problem_pddl=problem("b"))])
    assert set(scores_read) == {"no step", "the first applicable action", "a random walk"}
    assert scores_read["the first applicable action"] == 0.5


def test_a_random_walk_may_be_a_plan():
    assert scores([row("generation", plan=["(go a b)"], problem_pddl=problem("b"))])["a random walk"] == 1


def test_a_goal_without_a_plan_is_not_solved_by_a_step():
    rows = [row("solvability", 0, plan=[], solvable=False), row("solvability", 1, solvable=True)]
    assert scores(rows) == {"the first applicable action": 0, "a random walk": 0}


def shown(number, fails_at, missing=(), length=4):
    return row(
        "verification", number, given_actions=go(ROOMS)[:length], valid=not fails_at, fails_at=fails_at,
        missing=list(missing),
    )  # fmt: skip


def test_the_step_that_fails_is_a_part_that_one_reply_may_hit():
    # Each is chosen on the rows of other problems.
    rows = [shown(0, 0), shown(1, 1, ["(at a)"], 2), *(shown(n, 3, ["(at b)"]) for n in (2, 3, 4))]
    (figure,) = [figure for figure in measured(rows) if not figure.domain]
    assert figure.rule == "one reply to which step fails"
    assert (figure.rows, figure.score) == (4, 3 / 4)
    assert figure.chance == pytest.approx((1 / 2 + 3 / 4) / 4, abs=1e-4)


def test_execution_leaves_the_state_as_it_is():
    rows = [
        row("execution", 0, given_actions=go("aba"), answer=["(at a)", "(seen a)", "(seen b)"], right="…"),
        row("execution", 1, given_actions=go("ab"), answer=["(at a)"], right="(at a)"),
    ]
    assert scores(rows) == {"nothing changes": 0.5}
    assert set(chances(rows).values()) == {0}


def test_causality_asks_for_none_of_the_steps_beside():
    provider = {"question_type": "provider", "fact": "(at a)", "given_actions": go("abcdefgh")}
    fails = {"question_type": "fails", "fact": "", "given_actions": go("abcdefgh")}
    rows = [
        row("causality", 0, **provider, step=5, answer=0, right="0"),
        row("causality", 1, **provider, step=3, answer=1, right="1"),
        row("causality", 2, **fails, step=2, answer=7, right="7"),
        row("causality", 3, **fails, step=3, answer=4, right="4"),
    ]
    assert scores(rows) == {
        "the step beside": 0.25,
        "the initial state": 0.5,
        "the last step": 0.5,
        "one reply to which step fails": 0,
        "one reply to which step provides the fact": 0,
    }
    by_chance = chances(rows)
    assert by_chance["the initial state"] == (1 / 4 + 1 / 2) / 2
    assert by_chance["the last step"] == pytest.approx((1 / 4 + 1 / 3) / 2, abs=1e-4)


def test_few_rows_are_noise_and_many_are_too_much():
    def figure(rows, score, chance=0.0, tried=10):
        return TrickFigure("plan_reuse", "", "copy", rows, score, chance, float(rows), tried, tight=True)

    assert figure(6, 1 / 6).verdict == NOISE
    assert figure(6, 0.0).verdict == WITHIN
    assert figure(400, 0.03).verdict == WITHIN
    assert figure(400, 0.04).verdict == NOISE
    assert figure(400, 0.10).verdict == FAILED
    assert figure(400, 0.52, 0.5).verdict == WITHIN
    assert figure(1000, 0.62, 0.5).verdict == FAILED
    assert figure(12, 1.0).verdict == FAILED
    assert "scores 0.100 on 400 rows; chance is 0.000, the limit 0.030" in str(figure(400, 0.1))


def test_rows_of_one_problem_count_as_fewer():
    rows = [row("reuse", n, given_actions=go("abcde"), problem_id="corridor/0") for n in range(30)]
    (copied,) = [figure for figure in measured(rows) if figure.rule.startswith("copy") and not figure.domain]
    assert (copied.rows, copied.independent, copied.verdict) == (30, 1.0, NOISE)
    apart = [figure | {"problem_id": str(n)} for n, figure in enumerate(rows)]
    failed = {figure.rule for figure in measured(apart) if figure.verdict == FAILED}
    assert failed - {"a random walk"} == {"copy the shown plan"}


def test_a_copied_plan_that_is_right_fails_a_table_of_few_rows():
    rows = [row("reuse", n, given_actions=go("abcde")) for n in range(12)]
    table = attack("plan_reuse", fold_rows(table_of("plan_reuse").attack, ((row, False) for row in rows)))
    faults = dict(table.verdicts())
    assert set(faults) == {"", "corridor"}
    assert any("'copy the shown plan' scores 1.000" in fault for fault in faults["corridor"])


def test_a_reply_has_a_step_a_line():
    assert plan_reply(["(go a b)", "(go b c)"]) == "[PLAN]\n(go a b)\n(go b c)\n[PLAN END]"
