"""The checker on traces made by hand: each kind of line, and the first fault that it names."""

from __future__ import annotations

import pytest

from orrery.grading.traces import check_trace
from tests.grading.plans.rows import ROWS

BLOCKS, FERRY = ROWS["blocks"], ROWS["ferry"]
PLAN = [
    "Step 1: (unstack a b) needs (arm-empty), (clear a) and (on a b), which hold."
    " It makes (clear b) and (holding a) true and (arm-empty), (clear a) and (on a b) false.",
    "Step 2: (putdown a) needs (holding a), which holds."
    " It makes (arm-empty), (clear a) and (on-table a) true and (holding a) false.",
    "Step 3: (pickup b) needs (arm-empty), (clear b) and (on-table b), which hold."
    " It makes (holding b) true and (arm-empty), (clear b) and (on-table b) false.",
    "Step 4: (stack b c) needs (clear c) and (holding b), which hold."
    " It makes (arm-empty), (clear b) and (on b c) true and (clear c) and (holding b) false.",
    "The goal needs (on b c) and (not (on a b)), which hold.",
    "[PLAN]", "(unstack a b)", "(putdown a)", "(pickup b)", "(stack b c)", "[PLAN END]",
]  # fmt: skip


def changed(place, old, new):
    lines = [*PLAN]
    assert old in lines[place]
    lines[place] = lines[place].replace(old, new)
    return "\n".join(lines)


def test_a_plan_that_is_carried_out_passes():
    assert check_trace("\n".join(PLAN), BLOCKS) == ""
    assert check_trace("\n\n".join(PLAN), BLOCKS) == ""


@pytest.mark.parametrize(
    ("place", "old", "new", "fault"),
    [
        (0, "(arm-empty), ", "", "line 1: it needs (arm-empty), (clear a) and (on a b)"),
        (0, "true and (arm-empty), (clear a)", "true and (clear a)", "line 1: it makes false"),
        (0, ", which hold.", ", but (clear a) does not hold.", "line 1: is not a line of a trace"),
        (1, "Step 2", "Step 3", "line 2: step 3 is not the next one"),
        (1, "(putdown a)", "(putdown d)", "line 2: (putdown d) is no action of the problem"),
        (2, "Step 3: (pickup b) needs (arm-empty), (clear b) and (on-table b), which hold.",
         "(on-table b) never holds: not now, and no possible action makes it true.", "line 3: is not a line"),
        (3, "(clear c) and (holding b), which hold.", "(holding b), which holds.", "line 4: it needs"),
        (4, ", which hold.", ", but (on b c) does not hold.", "line 5: all of it holds"),
        (4, "(not (on a b))", "(on a b)", "line 5: it needs"),
        (7, "(putdown a)", "(stack a c)", "the answer is wrong: step 4 (stack b c) fails"),
        (0, "Step 1", "First", "line 1: is not a line of a trace: 'First: (unstack a b)"),
    ],
)  # fmt: skip
def test_a_line_that_is_not_true_is_named(place, old, new, fault):
    assert fault in check_trace(changed(place, old, new), BLOCKS)


@pytest.mark.parametrize("place", range(5))
def test_no_line_can_be_left_out(place):
    assert check_trace("\n".join(PLAN[:place] + PLAN[place + 1 :]), BLOCKS)


def test_another_right_answer_does_not_follow():
    longer = "\n".join([*PLAN[:-1], "(unstack b c)", "(stack b c)", "[PLAN END]"])
    assert check_trace(longer, BLOCKS) == "the answer does not follow from the lines"
    assert check_trace("\n".join(PLAN[:5]), BLOCKS) == "the trace has no answer"
    assert check_trace("\n".join(PLAN[5:]), BLOCKS) == "the answer does not follow from the lines"


@pytest.mark.parametrize(
    "line",
    [
        "The steps cost 5 + 7 = 12.",
        "Every step is an action of this domain.",
        "Step 1: there is no action (zap a).",
        "So the claim is true.",
        "(ON a b) does not hold here.",
    ],
)
def test_a_line_that_nothing_compares_with_the_row_is_refused(line):
    assert check_trace("\n".join([line, *PLAN]), BLOCKS)


def test_steps_are_left_out_only_where_the_row_asks_for_it():
    assert check_trace("\n".join(["Without steps 7 and 8:", *PLAN]), BLOCKS)


@pytest.mark.parametrize(
    "line",
    [
        "( ) never holds: not now, and no possible action makes it true.",
        "Step 1: ( ) needs nothing. It changes nothing.",
        "The steps cost + = 1.",
        "The steps cost 1 +  = 1.",
        f"The steps cost {'9' * 5000} = 1.",
    ],
)
def test_a_malformed_line_is_a_fault_and_no_exception(line):
    assert "is not a line of a trace" in check_trace("\n".join([line, *PLAN]), BLOCKS)


LAMP = {
    **BLOCKS,
    "domain_pddl": "(define (domain lamp) (:predicates (lit) (power) (dusty))"
    " (:action press :parameters () :precondition (power) :effect (lit))"
    " (:action wait :parameters () :precondition () :effect (dusty)))",
    "problem_pddl": "(define (problem dark) (:domain lamp) (:init) (:goal (and (lit) (dusty))))",
}


def test_every_line_on_what_never_holds_is_verified():
    """The second of these lines is false; the last one is proven by the first."""
    lines = [
        "(power) never holds: not now, and no possible action makes it true.",
        "The goal needs (dusty), which never holds.",
        "(press) needs (power), which never holds.",
        "ANSWER: none",
    ]
    assert check_trace("\n".join(lines), LAMP) == "line 2: is not what the first line excludes"
    assert "line" not in check_trace("\n".join([lines[0], *lines[2:]]), LAMP).split(":")[0]
