"""Remarks beside entries of an answer: what tells an entry again is allowed, what tells another is not."""

from __future__ import annotations

import pytest

from orrery.grading import grade
from tests.grading.plans.rows import BLOCKS_PLAN, ROWS

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


@pytest.mark.by_day(1)
@pytest.mark.parametrize(
    "frame", ["{}", "**Final plan:**\n{}", "## Answer\n{}", "```\n{}\n```", "ANSWER:\n{}"]
)
def test_a_plan_at_the_end_of_a_long_reply_is_read(frame):
    reply = "I look at the state.\n" * 8_000 + "\n" + frame.format("\n".join(BLOCKS_PLAN))
    assert grade(reply, ROWS["blocks"]).verdict == "right"


HEADED = [
    *("Step {n}: {s}\n{r}", "STEP {n}\n{s}\n{r}", "STEP\n{s}\n{r}", "**Step {n}:**\n{s}\n*{r}*\n"),
    *(
        "{n}. {s}\n   - {r}",
        "### Step {n}: do it\n{s}\n{r}\n",
        "Step {n}:\n```\n{s}\n```\n{r}\n",
        "{n}.\n{s}\n{r}",
    ),
]
FREE = ["This takes a off b.", "This puts a on the table.", "This lifts b.", "Here we put b onto c."]
OTHERS = [
    *("stacks block c on block b.", "unstacks block b from block c.", "picks up block a.", "puts b down."),
    *("stacks block b on block c and picks up block a.", "stacks b on c, then unstacks a from b."),
    *("stacks b on c; put it down", "stacks b on c (then pick up a)", "puts b on c and picks it up."),
]
TOLD = {
    "blocks": [f"This step will {worded(step)}." for step in BLOCKS_PLAN],
    "execution": [
        *("This places car c0 at location l1.", "This means car c1 is at location l1."),
        *("Here the ferry is at location l1.", "This says the ferry is empty."),
    ],
}


@pytest.mark.parametrize("mark", ["", "ANSWER:\n", "[PLAN]\n"])
@pytest.mark.parametrize("form", HEADED)
def test_a_remark_below_an_entry_that_tells_it_again_is_allowed(form, mark):
    for name, entries, remarks in (
        ("blocks", BLOCKS_PLAN, TOLD["blocks"]),
        ("blocks", BLOCKS_PLAN, FREE),
        ("execution", STATE, TOLD["execution"]),
    ):
        for last in (1, 2):  # without the last entry, the answer is wrong
            lines = enumerate(zip(entries, remarks, strict=True), 1)
            steps = [form.format(n=n, s=s, r=r) for n, (s, r) in lines][: len(entries) + 1 - last]
            score = grade(mark + "\n".join(steps), ROWS[name])
            assert score.verdict == ("right" if last == 1 else "wrong"), (name, score.detail)


@pytest.mark.parametrize("form", ["{s}", "Step {n}: {s}", "{n}.\n{s}"])
@pytest.mark.parametrize("mark", ["", "ANSWER:\n", "[PLAN]\n"])
@pytest.mark.parametrize(
    ("name", "remark"),
    [
        *(("blocks", f"This {rest}") for rest in OTHERS),
        ("blocks", "Here we pick up block a."),
        ("execution", "This means car c0 is at location l0."),
        ("execution", "This means car c0 is at location l1 and on the ferry."),
        ("execution", "This is false."),
    ],
)
def test_a_remark_below_an_entry_that_tells_another_makes_it_unread(name, remark, form, mark):
    entries = BLOCKS_PLAN if name == "blocks" else [*STATE[1:], STATE[0]]
    lines = [form.format(n=n, s=entry) for n, entry in enumerate(entries, 1)]
    assert grade(mark + "\n".join(lines), ROWS[name]).verdict == "right"
    assert grade(mark + "\n".join([*lines, remark]), ROWS[name]).verdict == "unparsed"


BESIDE = [
    "{s} ({r})",
    "{n}. {s} ({r})",
    "{s} - ({r})",
    "{s}: ({r})",
    "- {s} ({r}.)",
    "{b} ({r})",
    "({r}) {s}",
]


def beside(form, entries, remarks):
    lines = enumerate(zip(entries, remarks, strict=True), 1)
    return "\n".join(form.format(n=n, s=s, b=s.strip("()"), r=r) for n, (s, r) in lines)


@pytest.mark.parametrize("mark", ["", "ANSWER:\n", "[PLAN]\n"])
@pytest.mark.parametrize("form", BESIDE[:-1])
def test_a_step_in_words_in_parentheses_beside_it_is_a_remark_and_another_step_is_not(form, mark):
    words = [worded(step) for step in BLOCKS_PLAN]
    for remarks in (
        words,
        list(map(str.upper, words)),
        [word.replace("block", "the block") for word in words],
    ):
        assert grade(mark + beside(form, BLOCKS_PLAN, remarks), ROWS["blocks"]).verdict == "right"
        shorter = beside(form, BLOCKS_PLAN[:-1], remarks[:-1])
        assert grade(mark + shorter, ROWS["blocks"]).verdict == "wrong"
    for other in ("pick up block b", "stack block c on block b", "unstack block b from block c"):
        reply = mark + beside(form, BLOCKS_PLAN, [*words[:-1], other])
        assert grade(reply, ROWS["blocks"]).verdict != "right", reply


@pytest.mark.parametrize("mark", ["", "ANSWER:\n", "[PLAN]\n"])
@pytest.mark.parametrize("form", [form for form in BESIDE if "." not in form[1:]])
def test_a_step_in_capitals_beside_it_is_a_remark_and_another_step_is_not(form, mark):
    capitals = [step.strip("()").upper() for step in BLOCKS_PLAN]
    assert grade(mark + beside(form, BLOCKS_PLAN, capitals), ROWS["blocks"]).verdict == "right"
    for other in ("PICKUP B", "STACK C B", "FLY B C", "STACK B C B", "STACK B ZORK0"):
        reply = mark + beside(form, BLOCKS_PLAN, [*capitals[:-1], other])
        assert grade(reply, ROWS["blocks"]).verdict != "right", reply


@pytest.mark.parametrize(
    "made_up",
    ["stack b c b", "stack b c zork0", "stack b c x", "stack b fast c", "stack b c fast", "fly b c"],
)
@pytest.mark.parametrize("form", BESIDE)
def test_a_step_that_is_made_up_is_no_remark_on_the_step_beside_it(form, made_up):
    remarks = [*map(worded, BLOCKS_PLAN[:-1]), made_up]
    for mark in ("", "ANSWER:\n", "[PLAN]\n"):
        assert grade(mark + beside(form, BLOCKS_PLAN, remarks), ROWS["blocks"]).verdict != "right", mark
