"""Remarks beside entries of an answer: what tells an entry again is allowed, what tells another is not."""

from __future__ import annotations

import pytest

from orrery.grading import grade
from tests.grading.plans.rows import BLOCKS_PLAN, ROWS
from tests.question_rows import ROWS as QUESTIONS

STATE = ["(at c0 l1)", "(at c1 l1)", "(at-ferry l1)", "(empty-ferry)"]
WORDS = {
    "pickup": "pick up block {}",
    "putdown": "put down block {}",
    "stack": "stack block {} on block {}",
    "unstack": "unstack block {} from block {}",
}
RESTATED = ["{0}: {1}", "{0} - {1}", "{0} → {1}", "{0} // {1}", "- **{0}**: {1}", "| {0} | {1} |"]


def worded(step):
    name, *objects = step.strip("()").split()
    return WORDS[name].format(*objects)


@pytest.mark.parametrize("mark", ["", "ANSWER:\n"])
@pytest.mark.parametrize("form", RESTATED)
def test_a_remark_that_tells_the_same_step_again_is_allowed_and_another_step_is_not(form, mark):
    steps = [form.format(step, worded(step)) for step in BLOCKS_PLAN]
    assert grade(mark + "\n".join(steps), ROWS["blocks"]).verdict == "right"
    first, last = BLOCKS_PLAN[0], BLOCKS_PLAN[-1]
    assert grade("\n".join([*BLOCKS_PLAN, first]), ROWS["blocks"]).verdict == "wrong"
    steps[-1] = form.format(last, worded(first))
    assert grade(mark + "\n".join(steps), ROWS["blocks"]).verdict != "right"


@pytest.mark.parametrize(
    "form", ["{0}: {1} is there now", "{0} - {1} is there now", "- {0}: {1} is parked there"]
)
def test_a_remark_on_the_objects_of_a_fact_is_allowed(form):
    lines = [form.format(fact, fact.strip("()").split()[1]) if " " in fact else fact for fact in STATE]
    assert grade("\n".join(lines), ROWS["execution"]).verdict == "right"


@pytest.mark.parametrize(
    "form", ["{} is false", "- {}: false", "{} is no longer true", "{} (removed)", "{} [removed]"]
)
@pytest.mark.parametrize("mark", ["", "ANSWER:\n"])
def test_a_fact_that_is_called_false_is_not_stated(form, mark):
    every = mark + "\n".join(form.format(fact) for fact in STATE)
    assert grade(every, ROWS["execution"]).verdict != "right"
    more = mark + "\n".join([*STATE, form.format("(at c0 l0)")])
    assert grade(more, ROWS["execution"]).verdict != "wrong"


@pytest.mark.parametrize("rest", ["and so on", "etc.", "(then put down block b)", "[then put down block b]"])
@pytest.mark.parametrize("mark", ["", "ANSWER:\n"])
def test_what_leads_on_behind_a_plan_makes_it_unread(rest, mark):
    for joint in (" ", "\n"):
        assert grade(mark + "\n".join(BLOCKS_PLAN) + joint + rest, ROWS["blocks"]).verdict != "right"


def test_a_doubted_fact_behind_a_state_makes_it_unread():
    for rest in ("maybe (at c0 l1)", "but not (at c0 l1)", "but not (at c0 l0)"):
        assert grade("\n".join([*STATE, rest]), ROWS["execution"]).verdict == "unparsed"


@pytest.mark.parametrize(
    "frame", ["{}", "**Final plan:**\n{}", "## Answer\n{}", "```\n{}\n```", "ANSWER:\n{}"]
)
def test_a_plan_at_the_end_of_a_long_reply_is_read(frame):
    reply = "I look at the state.\n" * 8_000 + "\n" + frame.format("\n".join(BLOCKS_PLAN))
    assert grade(reply, ROWS["blocks"]).verdict == "right"


@pytest.mark.parametrize("reply", ["B plus C", "B & C", "B is correct and C is also correct"])
def test_two_options_are_no_choice(reply):
    assert grade(f"ANSWER: {reply}", QUESTIONS["mc-app"]).verdict == "unparsed"
