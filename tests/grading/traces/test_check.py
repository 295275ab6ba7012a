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
