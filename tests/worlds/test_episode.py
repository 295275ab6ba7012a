"""Episodes: what becomes of replies, which ends there are, and that an episode is the same everywhere."""

import json
import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import orrery
from orrery.model import OrreryError, UsageError
from orrery.pddl.write import parse_atom, write_atom
from orrery.planning.execution import check_plan, execute
from orrery.worlds.world_texts import EnglishTexts, denied
from tests.effort import slow
from tests.worlds.episodes import every_domain, state_and_place


@pytest.fixture(scope="module")
def ferry():
    return orrery.world("ferry", seed=7)


def played(world, replies):
    world.reset()
    return [world.step(reply) for reply in replies]


@every_domain
def test_optimal_actions_reach_the_goal_in_the_fewest_steps(domain):
    world = orrery.world(domain, seed=3)
    turn, best, steps = world.reset(), world.steps_at_best, []
    while not turn.done:
        cost = world.cost_to_go()
        turn = world.step(random.Random(cost).choice(world.optimal_actions()))
        steps.append(parse_atom(turn.info["action"]))
        assert world.cost_to_go() == cost - 1
    assert (turn.reason, turn.reward, turn.info["steps"]) == ("goal", 1.0, best)
    assert check_plan(world.problem.domain, world.problem.problem, steps).valid


@every_domain
def test_words_pddl_and_numbers_name_the_same_actions(domain):
    world = orrery.world(domain, seed=5)
    first = world.reset()
    for number, phrase in enumerate(first.admissible, 1):
        actions = []
        for reply in (phrase, number, f"[ACTION] {phrase} [/ACTION]", f"I will {phrase}."):
            (turn,) = played(world, [reply])
            actions.append(turn.info["action"])
        (turn,) = played(world, [actions[0]])
        assert {*actions, turn.info["action"]} == {actions[0]} != {""}


@pytest.mark.parametrize(("steps", "counted"), [(1, "1 action"), (2, "2 actions")])
def test_one_action_is_counted_in_the_singular(steps, counted):
    world = orrery.world("ferry", seed=7, max_steps=steps)
    turns = played(world, [1] * steps)
    assert turns[-1].observation.endswith(f" The budget of {counted} is used up.")


@every_domain
def test_states_and_refusals_are_those_of_plain_execution(domain):
    world, rng = orrery.world(domain, seed=4, end_in_dead_ends=False, max_steps=60), random.Random(domain)
    problem, steps = world.problem.problem, []
    actions = [action.step for action in world.problem.task.actions]
    while not world.done:
        step = rng.choice(actions)
        states, _ = execute(world.problem.domain, problem, [*steps, step])
        turn = world.step(write_atom(step))
        if len(states) > len(steps) + 1:
            assert turn.info["outcome"] == "done"
            steps.append(step)
        else:
            assert (turn.info["outcome"], turn.reward) == ("impossible", 0.0)
            assert turn.info["failed"]
        if not turn.done:
            assert world.problem.task.state(world.state) == states[-1]
            turn = world.step(rng.choice(turn.admissible))
            steps.append(parse_atom(turn.info["action"]))


def test_a_refusal_names_the_condition_that_does_not_hold(ferry):
    start = ferry.reset()
    here, place = state_and_place(ferry)
    car, elsewhere = next(fact[1:] for fact in here if fact[0] == "at" and fact[2] != place)
    turn = ferry.step(f"(board {car} {elsewhere})")
    assert turn.info["outcome"] == "impossible"
    assert turn.info["failed"] == (f"(at-ferry {elsewhere})",)
    assert elsewhere in turn.observation
    assert " not " in turn.observation
    assert turn.admissible == start.admissible


REPLIES = [
    "", " ", "dance", "x" * 1_000_000, "\x00\x07\ud800", "(sail l1)", "(sail l1 l2 l3)", "(fly c1 l1)", "0",
    "99999", "(sail l9 l8)", "board everything", "[ACTION]", '```json\n{"action": 3}\n```', "no plan exists",
    "-1", "()",
]  # fmt: skip


@pytest.mark.parametrize("reply", REPLIES, ids=range(len(REPLIES)))
def test_a_reply_that_names_no_action_is_told_apart_from_an_impossible_one(ferry, reply):
    ferry.reset()
    state = ferry.snapshot()["state"]
    turn = ferry.step(reply)
    assert (turn.info["outcome"], turn.reward, turn.info["invalid"]) == ("not understood", 0.0, 1)
    assert turn.observation
    assert ferry.snapshot()["state"] == state


@slow
@settings(max_examples=200)
@given(st.text(max_size=300))
def test_no_reply_raises(text):
    world = orrery.world("ferry", seed=7)
    assert world.step(text).info["outcome"] in ("not understood", "impossible", "done", "answered")


def test_two_actions_in_a_reply_are_refused_unless_the_first_counts():
    for take_first in (False, True):
        world = orrery.world("ferry", seed=7, take_first=take_first)
        first, second = world.reset().admissible[:2]
        turn = world.step(f"{first}\n{second}")
        assert turn.info["outcome"] == ("done" if take_first else "not understood")
        assert ("2 actions" in turn.observation) != take_first


def test_questions_are_answered_and_change_nothing(ferry):
    start = ferry.reset()
    for question in ("look", "list", "goal", "help", "look at c1", "Look.", "look at nothing"):
        turn = ferry.step(question)
        assert (turn.info["outcome"], turn.info["steps"]) == ("answered", 0)
        assert turn.admissible == start.admissible
    assert ferry.step("list").observation.count("\n") == len(start.admissible) - 1


def test_every_end_is_named():
    assert played(orrery.world("ferry", seed=7), ["dance"] * 5)[-1].reason == "invalid actions"
    world = orrery.world("ferry", seed=7, max_steps=2)
    assert [turn.reason for turn in played(world, ["1", "1"])] == ["", "step budget"]
    assert played(world, ["look"] * 8)[-1].reason == "reply budget"
    asked = orrery.world("ferry", seed=7, max_steps=2, questions_cost=True)
    assert played(asked, ["look"] * 2)[-1].reason == "step budget"
    over = asked.step("1")
    assert (over.info["outcome"], over.reward, over.done) == ("over", 0.0, True)


def test_a_dead_end_ends_the_episode_unless_it_may_go_on():
    for ends in (True, False):
        world = orrery.world("goldminer", seed=0, end_in_dead_ends=ends, max_steps=10_000)
        rng, turn = random.Random(0), world.reset()
        while not turn.done and not world.is_dead_end():
            turn = world.step(rng.choice(turn.admissible))
        assert turn.reason in ("dead end", "goal") if ends else turn.reason != "dead end"


def test_an_episode_is_the_same_again_after_pickling_and_from_its_snapshot(ferry):
    ferry.reset()
    ferry.step("1")
    copy = pickle.loads(pickle.dumps(ferry))
    again = orrery.world("ferry", seed=7)
    again.restore(json.loads(json.dumps(ferry.snapshot())))
    turns = [world.step("1") for world in (ferry, copy, again)]
    assert turns[0] == turns[1] == turns[2]
    assert ferry.transcript() == copy.transcript() == again.transcript()
    assert json.loads(json.dumps(ferry.transcript())) == ferry.transcript()


def test_a_snapshot_of_another_world_is_refused(ferry):
    with pytest.raises(OrreryError, match="snapshot"):
        ferry.restore(orrery.world("grippers", seed=7).snapshot())


def test_options_that_do_not_exist_are_named():
    for options in ({"reward": "dense"}, {"speed": 1}, {"max_steps": 0}, {"discount": 0.0}):
        with pytest.raises(UsageError):
            orrery.world("ferry", **options)


@slow
def test_train_and_test_worlds_share_no_problem_up_to_names():
    keys = {
        split: {orrery.world("ferry", seed=seed, split=split).problem.row["loose_key"] for seed in range(12)}
        for split in ("train", "test")
    }
    assert keys["train"].isdisjoint(keys["test"])


@slow
def test_limits_choose_problems_by_their_measures():
    world = orrery.world("ferry", seed=3, shortest=(8, 10), objects=(5, 6), branching=(2, 3), dead_ends=False)
    assert 8 <= world.steps_at_best <= 10
    assert 5 <= len(world.problem.problem.objects) <= 6
    assert 2 <= len(world.reset().admissible) <= 3
    assert orrery.world("goldminer", seed=3, dead_ends=True).problem.oracle.num_dead_ends > 0
    with pytest.raises(OrreryError, match="shortest plan"):
        orrery.world("ferry", seed=3, shortest=(500, 600))


def test_a_domain_without_words_is_played_in_pddl(ferry):
    from orrery.pddl.write import write_domain

    world = orrery.world_of_pddl(write_domain(ferry.problem.domain), ferry.problem.problem_pddl)
    turn = world.reset()
    assert turn.admissible == tuple(
        map(world.problem.texts.action, (a.step for a in world.problem.view(world.state).actions))
    )
    while not turn.done:
        turn = world.step(world.optimal_actions()[0])
    assert turn.reason == "goal"


@pytest.mark.parametrize(
    ("clause", "denial"),
    [
        ("block x is on block y", "block x is not on block y"),
        ("a is on b", "a is not on b"),
        ("the data are on board", "the data are not on board"),
        ("a soil sample is at waypoint w", "no soil sample is at waypoint w"),
        ("an image is on board", "no image is on board"),
        ("there is gold at location l", "there is no gold at location l"),
        ("there is a sample in store s", "there is no sample in store s"),
        ("there is neither paint nor a robot on tile t", ""),
        ("the store is empty and is closed", ""),
        ("the lander has an image", ""),
        ("nothing is on block x", ""),
    ],
)
def test_a_clause_is_denied_as_one_would_say_it(clause, denial):
    assert denied(clause) == denial


@every_domain
def test_an_action_begins_with_a_verb_after_you(domain):
    openings, problem = set(), orrery.world(domain).problem
    for seed in range(40):
        texts = EnglishTexts(problem.words, problem.domain, problem.problem, f"{domain}/{seed}")
        openings |= {texts.action(action.step).split()[0] for action in problem.task.actions}
    assert openings.isdisjoint({"at", "from", "in", "on", "to", "with"})


FERRY = "sail from location l2 to location l1"
MEANT = [
    "Action: 1", "Option 1", "The answer is 1", '{"action": 1}', f"I'll now {FERRY}.", f"Let me {FERRY}.",
    f"I'm going to {FERRY}", "I will sail to l1.", "**Action:** sail to l1", "[ACTION] 1 [/ACTION]",
    '{"name": "sail", "arguments": {"t": "l1", "f": "l2"}}', "sail(t=l1, f=l2)", "sail(f='l2', t='l1')",
    f"I cannot board a car yet.\n\nThe ferry has to move first.\n\n{FERRY}",
]  # fmt: skip
NOT_MEANT = [
    f"Not this:\n{FERRY}", f"Do not do this:\n```\n{FERRY}\n```", f"Rejected options:\n- {FERRY}",
    f"I see two options.\n{FERRY}\nBut I will not do it.", f"{FERRY}\n\nWait, no. I do nothing.",
    f"{FERRY}?", f"~~{FERRY}~~", f"{FERRY} -- no, to l3", f"<s>{FERRY}</s>", f"> {FERRY}\nI disagree.",
    "I sailed from location l2 to location l1.", "٢", "leave l1", "sail(t=l1, x=l2)", "sail(t=l1)",
    "You sail from location l2 to location l1. Now the ferry is at location l1.",
]  # fmt: skip


@pytest.mark.parametrize("reply", MEANT, ids=range(len(MEANT)))
def test_usual_ways_of_giving_an_action_are_read(ferry, reply):
    ferry.reset()
    assert ferry.step(reply).info["action"] == "(sail l2 l1)"


@pytest.mark.parametrize("reply", NOT_MEANT, ids=range(len(NOT_MEANT)))
def test_an_action_that_is_doubted_denied_or_told_is_not_done(ferry, reply):
    ferry.reset()
    assert ferry.step(reply).info["outcome"] == "not understood"


def test_questions_in_marks_and_very_large_numbers_are_read(ferry):
    ferry.reset()
    assert ferry.step("[ACTION] look [/ACTION]").info["outcome"] == "answered"
    assert ferry.step(10**5000).info["outcome"] == "not understood"


@pytest.mark.parametrize(
    "options",
    [{"step_cost": -1}, {"step_cost": float("nan")}, {"step_cost": "a"}, {"max_steps": 1.5},
     {"max_invalid": None}, {"discount": "1"}, {"take_first": "no"}, {"shortest": 5}, {"objects": (1,)},
     {"max_states": 0}],
)  # fmt: skip
def test_options_of_other_types_are_refused(options):
    with pytest.raises(UsageError):
        orrery.world("ferry", **options)


@pytest.mark.parametrize(
    "change",
    [{"reason": "foo"}, {"steps": -1}, {"steps": float("inf")}, {"steps": True}, {"lowest": -1},
     {"state": [1, 2]}, {"reason": "goal"}, {"log": [{}]}, {"problem_id": "x"}],
)  # fmt: skip
def test_a_refused_snapshot_leaves_the_world_as_it_was(ferry, change):
    ferry.reset()
    earlier = ferry.snapshot()
    ferry.step("1")
    now = ferry.snapshot()
    with pytest.raises(OrreryError, match="snapshot"):
        ferry.restore({**earlier, **change})
    assert ferry.snapshot() == now
