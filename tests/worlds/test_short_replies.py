"""Shortened actions: what they may mean, compared with all subsequences of all wordings."""

import json
import random

import pytest

import orrery
from orrery.worlds.replies import shortened
from tests.worlds.episodes import every_domain, state_and_place

ROW = {"nl_templates": json.dumps({"actions": {
    "board": ["board car {0} onto the ferry at {1}", "load {0} at {1}"],
    "sail": ["sail from {0} to {1}"],
}})}  # fmt: skip
STEPS = [("board", "c1", "l1"), ("board", "c2", "l1"), ("sail", "l1", "l2"), ("sail", "l2", "l1")]
NAMES = {"c1", "c2", "l1", "l2"}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("board c1", STEPS[:1]),
        ("load c2", STEPS[1:2]),
        ("board the car c1", STEPS[:1]),
        ("board", STEPS[:2]),
        ("sail to l2", STEPS[2:3]),
        ("sail l1", STEPS[2:3]),
        ("sail l2", STEPS[3:]),
        ("sail from l2", STEPS[3:]),
        ("do not board c1", []),
        ("board c1 not", []),
        ("board c3", []),
        ("c1", []),
        ("", []),
        ("sail to l1 from l2", []),
        ("board " * 30, []),
    ],
)
def test_what_a_text_may_mean(text, meant):
    assert shortened(text, ROW, STEPS, NAMES) == meant


@every_domain
def test_a_phrase_with_words_left_out_still_may_mean_its_action(domain):
    world, rng = orrery.world(domain, seed=1), random.Random(domain)
    view = world.problem.view(world.state)
    steps = [action.step for action in view.actions]
    for action, phrase in zip(view.actions, view.phrases, strict=True):
        first, *others = phrase.lower().split()
        kept = [first, *(word for word in others if word.strip(",") in action.step or rng.random() < 0.5)]
        names = world.problem.object_names
        assert action.step in shortened(" ".join(kept), world.problem.graded_row, steps, names)


def test_an_unambiguous_text_is_done_and_an_ambiguous_one_is_not():
    world = orrery.world("ferry", seed=7)
    state, place = state_and_place(world)
    other = next(fact[2] for fact in sorted(state) if fact[0] == "at" and fact[2] != place)
    turn = world.step("sail")
    assert turn.info["outcome"] == "not understood"
    assert "may mean" in turn.observation
    assert world.step(f"sail to {other}").info["action"] == f"(sail {place} {other})"
    assert world.step(f"sail to {other}").info["outcome"] in ("impossible", "not understood")
