"""The proofs of questions against those of the states: every other label, or number of them, is found."""

import json
from itertools import product

import pytest

from orrery.checks.questions import proofs
from orrery.checks.questions.kinds import kind_checks
from orrery.model import Proof

STATE = {
    "unreachable_facts": ["(at a b)", "(at b a)"],
    "unreachable_fact_proofs": ["exhaustion", "delete-relaxation"],
    "unreachable_actions": ["(go a b)", "(go b a)"],
    "unreachable_action_proofs": ["h2", "unsolvability"],
    "landmarks_yes": ["(at c d)"],
    "landmarks_no": ["(at d c)", "(at d d)"],
    "landmark_proofs": ["delete-relaxation", "witness", "witness"],
    "optimal_first_actions": ["(go c d)"],
    "optimal_first_actions_proofs": ["exhaustion"],
    "not_optimal_first_actions": ["(go d c)"],
    "not_optimal_first_actions_proofs": ["astar"],
}
OPEN = {
    "reach": (
        {"answer_all": ["at b a", "at a b"]},
        {"answer_all": ["delete-relaxation", "exhaustion"]},
    ),
    "areach": ({"answer": ["(go b a)"]}, {"answer": ["unsolvability"]}),
    "land": (
        {"answer": {"yes": ["(at c d)"], "no": ["(at d c)", "(at d d)"]}},
        {"yes": ["delete-relaxation"], "no": ["witness", "witness"]},
    ),
    "nexta": (
        {"answer": {"yes": ["(go c d)"], "no": ["(go d c)"]}},
        {"yes": ["exhaustion"], "no": ["astar"]},
    ),
    "app": ({"answer": ["(go c d)"]}, {}),
}
# Claims, whether they hold, and the labels that fit them.
CLAIMED = {
    "reach": [
        ({"facts": ["(at a b)"]}, False, {"exhaustion"}),
        ({"facts": ["(at c d)"]}, True, {"witness"}),
        ({"facts": ["(at a b)", "(at c d)"]}, False, set(proofs.REFUTING)),
    ],
    "areach": [({"actions": ["(go a b)"]}, False, {"h2"}), ({"actions": ["(go c d)"]}, True, {"witness"})],
    "land": [({"fact": "(at c d)"}, True, {"delete-relaxation"}), ({"fact": "(at d d)"}, False, {"witness"})],
}


def opened(kind, stored):
    columns, _ = OPEN[kind]
    return {"kind": kind, "answer": [], **columns, "proofs": json.dumps(stored)}


def found(row):
    return proofs.check(row, kind_checks().of(row["kind"]), STATE)


@pytest.mark.parametrize("kind", OPEN)
def test_every_label_of_an_open_question_is_that_of_the_state(kind):
    _, stored = OPEN[kind]
    assert found(opened(kind, stored)) == []
    for name, label in product(stored, Proof):
        for place, known in enumerate(stored[name]):
            changed = [*stored[name][:place], str(label), *stored[name][place + 1 :]]
            assert (found(opened(kind, {**stored, name: changed})) == []) == (label == known)
        assert found(opened(kind, {**stored, name: stored[name][1:]}))
        assert found(opened(kind, {key: value for key, value in stored.items() if key != name}))
    assert found(opened(kind, {**stored, "more": ["witness"]}))
    assert found(opened(kind, []))


@pytest.mark.parametrize("kind", CLAIMED)
def test_the_label_of_a_claim_is_that_of_the_state_or_fits_what_it_says(kind):
    for claim, holds, fitting in CLAIMED[kind]:
        asked = {
            "kind": kind,
            "claim": json.dumps({"kind": kind, **claim}),
            "answer": "yes" if holds else "no",
        }
        for label in Proof:
            told = {**asked, "proofs": json.dumps({"claim": [label]})}
            assert (found(told) == []) == (label in fitting)
        assert found({**asked, "proofs": "{}"})


@pytest.mark.parametrize("kind", CLAIMED)
def test_each_option_of_a_choice_has_the_label_of_its_claim(kind):
    for right, holds, fitting in CLAIMED[kind]:
        wrong, _, labels = next(each for each in CLAIMED[kind] if each[1] != holds)
        claims = [wrong, right, wrong, wrong] if holds else [right, wrong, right, right]
        fit = [labels, fitting, labels, labels] if holds else [fitting, labels, fitting, fitting]
        row = {"kind": kind, "choices": {}, "answer": "B"}
        row["claims"] = json.dumps([{"kind": kind, **claim} for claim in claims])
        stored = [min(some) for some in fit]
        assert found({**row, "proofs": json.dumps({"claims": stored})}) == []
        for place, label in product(range(4), Proof):
            changed = [*stored[:place], label, *stored[place + 1 :]]
            assert (found({**row, "proofs": json.dumps({"claims": changed})}) == []) == (label in fit[place])


def test_without_a_state_nothing_is_said():
    assert proofs.check(opened("land", {}), kind_checks().of("land"), None) == []
