"""Scores of replies about plans: no reply raises, parts, details, and rows that lack something."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.grading import grade
from tests.effort import examples
from tests.grading.plans.rows import FERRY_PLAN, ROWS
from tests.grading.samples import REPLY


@given(REPLY, st.sampled_from(["ferry", "optimal", "reuse"]))
@examples(300)
def test_the_last_mark_wins(reply, name):
    before = reply.replace("<think", "").replace("[STATEMENT]", "")  # they swallow what follows
    marked = "\n".join(["[PLAN]", *FERRY_PLAN, "[PLAN END]"])
    assert grade(f"{before}\n{marked}", ROWS[name]).verdict == "right"
    assert grade(f"{before}\nANSWER: {' '.join(FERRY_PLAN[:2])}", ROWS[name]).verdict == "wrong"


def test_parts():
    dear = "\n".join(["(sail l0 l1)", "(sail l1 l0)", *FERRY_PLAN])
    assert grade(dear, ROWS["optimal"]).parts == {"cost_ratio": pytest.approx(13 / 21)}
    assert grade("(sail l0 l1)", ROWS["optimal"]).parts == {"cost_ratio": 0.0}
    half = grade("ANSWER: invalid, step 2, (clear b), (arm-empty)", ROWS["fails"])
    assert half.parts == {"verdict": 1.0, "step": 0.0, "literals": 1.0}
    assert grade("ANSWER: invalid", ROWS["valid"]).parts == dict.fromkeys(half.parts, 0.0)
    assert grade("ANSWER: valid", ROWS["valid"]).parts == dict.fromkeys(half.parts, 1.0)
    assert grade("ANSWER: (at c0 l1) (on c1)", ROWS["execution"]).parts == {"f1": pytest.approx(1 / 3)}


@pytest.mark.parametrize(
    "broken",
    [
        {"group": "plan_poetry"},
        {"domain_pddl": None},
        {"problem_pddl": None},
        {"domain_pddl": "(define (domain d)"},
        {"domain_pddl": "("},
        {"domain_pddl": "(" * 10_000},
        {"problem_pddl": "(define (problem p))"},
        {"nl_templates": "{"},
        {"domain_pddl": "(define (domain d) (:action a :precondition (or (p) (q)) :effect (p)))"},
    ],
)
def test_rows_that_lack_something_are_refused(broken):
    with pytest.raises(ValueError, match=r"."):
        grade("[PLAN]\n(board c0 l0)\n[PLAN END]", ROWS["ferry"] | broken)


def test_words_need_phrases_and_pddl_does_not():
    row = ROWS["ferry"] | {"nl_templates": None}
    assert grade("\n".join(FERRY_PLAN), row).verdict == "right"
    assert grade("board car c0 onto the ferry at location l0", row).verdict == "unparsed"


def test_an_action_without_a_cost_is_named():
    row = ROWS["optimal"] | {"action_costs": json.dumps({"sail": 1, "board": 1})}
    with pytest.raises(ValueError, match="debark"):
        grade("\n".join(FERRY_PLAN), row)


@pytest.mark.parametrize("column", ["cost", "action_costs"])
def test_a_row_of_cheapest_plans_states_its_costs(column):
    row = {name: value for name, value in ROWS["optimal"].items() if name != column}
    with pytest.raises(ValueError, match=column):
        grade("\n".join(FERRY_PLAN), row)
