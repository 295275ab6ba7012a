"""Shortcuts that are planted are found, and where there are none chance is."""

from __future__ import annotations

import json
import random

import pytest

from orrery.dataset.shortcuts import EVERY, LIMIT, Shortcut, measured

ROWS = 2000


def fact(rng, name="at"):
    return [name, "o" + "x" * rng.randint(0, 8), f"p{rng.randint(1, 9)}"]


def written(parts):
    return f"({' '.join(parts)})"


def yes_no(rng, plant=lambda answer, parts, rng: parts):
    answer = rng.choice(("yes", "no"))
    parts = plant(answer, fact(rng, rng.choice(("at", "on"))), rng)
    claim = {"kind": "reach", "facts": [written(parts)]}
    stated = {"question": " ".join(parts), "answer": answer, "claim": json.dumps(claim)}
    return {"domain": "d", "PDDL_problem": "(:goal (p))", "kind": "reach", **stated}


def choice(rng, plant=lambda parts, rng: parts):
    right = rng.randrange(4)
    parts = [fact(rng, rng.choice(("at", "on"))) for _ in range(4)]
    parts[right] = plant(parts[right], rng)
    claims = [{"kind": "reach", "facts": [written(each)]} for each in parts]
    texts = list(map(" ".join, parts))
    stated = {"choices": {"text": texts, "label": list("ABCD")}, "claims": json.dumps(claims)}
    return {"domain": "d", "PDDL_problem": "(:goal (p))", "kind": "reach", "answer": "ABCD"[right], **stated}


def scores(form, rows):
    found = {each.rule: each for each in measured(form, rows) if each.kind == EVERY}
    assert all(each.rows == len(rows) for each in found.values())
    return found


@pytest.mark.parametrize(("form", "make"), [("bool", yes_no), ("mcq", choice)])
def test_without_shortcuts_nothing_beats_chance(form, make):
    rng = random.Random(1)
    for rule, found in scores(form, [make(rng) for _ in range(ROWS)]).items():
        assert found.excess <= LIMIT, rule
        assert not found.too_much, rule


def longer(answer, parts, rng):
    return [*parts[:1], parts[1] + "y" * 9 * (answer == "yes"), *parts[2:]]


def named(answer, parts, rng):
    return ["at" if (answer == "yes") == (rng.random() < 0.9) else "on", *parts[1:]]


def repeated(answer, parts, rng):
    return [parts[0], parts[1], parts[1] if answer == "no" else parts[2]]


@pytest.mark.parametrize(
    ("plant", "rule", "least"),
    [(longer, "length", 0.9), (named, "names", 0.85), (repeated, "repeated objects", 0.7)],
)
def test_what_separates_yes_from_no_is_found(plant, rule, least):
    rng = random.Random(2)
    found = scores("bool", [yes_no(rng, plant) for _ in range(ROWS)])
    assert found[rule].score >= least
    assert found[rule].too_much
    assert not found["one answer"].too_much


@pytest.mark.parametrize(
    ("plant", "rule", "least"),
    [
        (lambda parts, rng: longer("yes", parts, rng), "most length", 0.8),
        (lambda parts, rng: [parts[0], "o", parts[2]], "least length", 0.7),
        (lambda parts, rng: ["at", *parts[1:]], "names", 0.35),
        (lambda parts, rng: repeated("no", parts, rng), "most repeated objects", 0.9),
        (lambda parts, rng: ["off", "q1", "q2"], "least like the others", 0.7),
    ],
)
def test_what_gives_the_right_option_away_is_found(plant, rule, least):
    rng = random.Random(3)
    found = scores("mcq", [choice(rng, plant) for _ in range(ROWS)])
    assert found[rule].score >= least
    assert found[rule].too_much


def test_the_end_of_a_plan_is_a_shortcut_too():
    rng = random.Random(5)
    rows = []
    for _ in range(ROWS):
        steps = [written(["move", f"p{rng.randint(1, 99)}", f"p{rng.randint(1, 99)}"]) for _ in range(4)]
        right = rng.randrange(4)
        order = [rng.randrange(3) for _ in range(4)]
        claims = [{"kind": "just", "plan": steps, "remove": [steps[i]], "at": [i]} for i in order]
        claims[right] = {"kind": "just", "plan": steps, "remove": [steps[3]], "at": [3]}
        stated = {"choices": {"text": [c["remove"][0] for c in claims]}, "claims": json.dumps(claims)}
        rows.append(
            {"domain": "d", "PDDL_problem": "(:goal (p))", "kind": "just", "answer": "ABCD"[right], **stated}
        )
    assert scores("mcq", rows)["most end of the plan"].score == 1


def test_the_objects_of_the_action_are_a_shortcut_too():
    rng = random.Random(6)
    rows = []
    for _ in range(ROWS):
        right = rng.randrange(4)
        facts = [written(["at", f"o{number}", "there"]) for number in range(4)]
        action = written(["take", f"o{right}"])
        claims = [{"kind": "prog", "action": action, "facts": [fact]} for fact in facts]
        stated = {"choices": {"text": facts}, "claims": json.dumps(claims)}
        rows.append(
            {"domain": "d", "PDDL_problem": "(:goal (p))", "kind": "prog", "answer": "ABCD"[right], **stated}
        )
    found = scores("mcq", rows)
    assert found["most objects of the action"].score == 1
    assert found["least objects of the action"].score == 0
    assert not found["most length"].too_much


def test_ties_are_shared_out():
    rng = random.Random(4)
    rows = [choice(rng, lambda parts, rng: parts) for _ in range(50)]
    for row in rows:
        row["choices"]["text"] = ["same"] * 4
    assert scores("mcq", rows)["most length"].score == pytest.approx(0.25)


def test_a_small_excess_and_a_large_one_of_few_rows_may_be_chance():
    assert not Shortcut("app", "mcq", "names", 10, 0.4, 0.25).too_much
    assert Shortcut("app", "mcq", "names", 10_000, 0.29, 0.25).too_much
    assert not Shortcut("app", "mcq", "names", 10_000, 0.27, 0.25).too_much
    assert measured("bool", []) == []


@pytest.mark.parametrize(
    "claim",
    [
        {"kind": "app", "action": "(a x)"},
        {"kind": "prog", "action": "(b y)", "facts": ["(a x)"]},
        {"kind": "areach", "actions": ["(a x)"]},
        {"kind": "land", "fact": "(a x)"},
        {"kind": "just", "plan": ["(b y)"], "remove": ["(a x)"], "at": [0]},
    ],
)
def test_what_is_asked_about_is_measured_and_nothing_else(claim):
    rows = []
    for name, answer in (("a", "yes"), ("z", "no")) * 20:
        text = json.dumps(claim).replace("(a x)", f"({name} x)")
        rows.append(
            {
                "domain": "d",
                "PDDL_problem": "(:goal (p))",
                "kind": claim["kind"],
                "question": "q",
                "answer": answer,
                "claim": text,
            }
        )
    random.Random(0).shuffle(rows)
    assert scores("bool", rows)["names"].score == 1.0
