"""Whatever is made up beside a right answer makes it no right answer: names, objects, arities, types."""

from __future__ import annotations

import pytest

from orrery.grading import grade
from tests.grading.plans.rows import BLOCKS_PLAN, FERRY_PLAN
from tests.grading.plans.rows import ROWS as PLAN_ROWS
from tests.question_rows import ROWS

QUESTIONS = {
    "app": ["(stack b1 b2)", "(stack b1 b10)", "(wave)"],
    "app-one": ["(pick-up b1)"],
    "app-none": ["None"],
    "land": ["(arm-empty)"],
    "land-none": ["None"],
    "reach": ["(on b1 b1)"],
    "reach-none": ["None"],
    "areach": ["(carry ball2 room1)"],
    "areach-none": ["None"],
    "nexta": ["(stack b1 b2)"],
    "just": ["(pick-up b1)", "(stack b1 b2)", "(pick-up b2)", "(stack b2 b10)"],
}
PLANS = {
    "blocks": BLOCKS_PLAN,
    "ferry": FERRY_PLAN,
    "optimal": FERRY_PLAN,
    "solvable": FERRY_PLAN,
    "unsolvable": ["none"],
    "execution": ["(at c0 l1)", "(at c1 l1)", "(at-ferry l1)", "(empty-ferry)"],
    "valid": ["valid"],
}
GOLD = {name: (ROWS[name], items) for name, items in QUESTIONS.items()} | {
    name: (PLAN_ROWS[name], items) for name, items in PLANS.items()
}
# An unknown name, unknown objects, too few arguments, no arguments at all.
MADE_UP = ["(fly {0} {1})", "(fly x y)", "({name} zork0 zork1)", "({name} {0} {1} {0} {1})", "(at-robot)"]
FRAMES = ["{}", "ANSWER: {}", "ANSWER:\n{}", "The facts are as follows.\n\n{}"]
SEPARATORS = [", ", "\n", " "]


def things(row):
    domain = str(row.get("domain_pddl") or row["PDDL_domain"])
    if "ferry" in domain:
        return "at" if row["group"] == "plan_execution" else "sail", "c0", "l0"
    if "rooms" in domain:
        return "carry", "ball1", "room1"
    if "PDDL_domain" in row:
        return "on" if row["group"] in ("landmarks_gen", "reachable_atom_gen") else "stack", "b1", "b2"
    return "stack", "a", "b"


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("item", MADE_UP)
@pytest.mark.parametrize("name", GOLD)
def test_an_item_that_is_made_up_is_never_right(name, item, frame):
    row, items = GOLD[name]
    symbol, *objects = things(row)
    extra = item.format(*objects, name=symbol)
    for separator in SEPARATORS:
        assert grade(frame.format(separator.join(items)), row).verdict == "right"
        reply = frame.format(separator.join([*items, extra]))
        assert grade(reply, row).verdict != "right", reply


@pytest.mark.parametrize("hedge", ["maybe", "or perhaps", "possibly", "it might be that", "it could also be"])
@pytest.mark.parametrize("frame", ["{}", "ANSWER: {}", "ANSWER:\n{}"])
@pytest.mark.parametrize("name", GOLD)
def test_an_item_that_is_made_up_is_not_ignored_because_of_a_hedge(name, frame, hedge):
    row, items = GOLD[name]
    symbol, *objects = things(row)
    for item in MADE_UP:
        extra = item.format(*objects, name=symbol)
        reply = frame.format("\n".join([*items, f"{hedge} {extra}"]))
        assert grade(reply, row).verdict != "right", reply


@pytest.mark.parametrize("fact", ["(broken c0)", "(at zork0 l0)", "(at c0)", "(at c0 c1)", "(at-robot)"])
@pytest.mark.parametrize("form", ["not {}", "(not {})"])
def test_a_denied_fact_of_a_state_that_is_made_up_is_wrong(form, fact):
    row, items = GOLD["execution"]
    for frame in FRAMES:
        assert grade(frame.format("\n".join([*items, form.format("(on c0)")])), row).verdict == "right"
        reply = frame.format("\n".join([*items, form.format(fact)]))
        assert grade(reply, row).verdict == "wrong", reply


@pytest.mark.parametrize("item", ["(pick-up b-1)", "(pick-up b_1)", "(pick-up b11)"])
def test_an_object_in_another_spelling_is_another_object(item):
    assert grade(f"ANSWER: {item}", ROWS["app-one"]).verdict != "right"
