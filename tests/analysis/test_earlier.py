"""What is decided of one state, used for another after some steps: true, and with less search."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from orrery.analysis import evidence, shortest
from orrery.analysis.decide import decide
from orrery.analysis.earlier import earlier, followed
from orrery.model import Proof
from orrery.planners.fast_downward import solve
from orrery.semantics.grounding import ground
from orrery.semantics.progression import applicable, is_applicable, is_plan, progress, run
from tests.analysis.small_tasks import object_task, random_task
from tests.analysis.test_decide import by_definition, said
from tests.effort import sample
from tests.every_domain import easy_problems, entry

FAR = {"max_states": 1, "calls": 1000}  # too large to be searched whole


def walked(task, length, rng):
    """Steps at random from the initial state, and the task of the state that they lead to."""
    mask, steps = task.init, []
    for _ in range(length):
        if choices := applicable(task, mask):
            action = rng.choice(choices)
            mask = progress(mask, action)
            steps.append(action.step)
    return steps, ground(task.domain, replace(task.problem, init=task.state(mask)))


def count_calls(monkeypatch):
    calls = []
    monkeypatch.setattr(
        evidence, "solve", lambda *task, **named: calls.append(named) or solve(*task, **named)
    )
    return calls


@pytest.mark.parametrize("seed", sample(range(16), 6))
@pytest.mark.parametrize("make", [random_task, object_task], ids=["random", "objects"])
def test_what_is_decided_after_a_walk_is_true_of_the_state_at_its_end(make, seed):
    task, rng = make(seed), random.Random(seed)
    first = decide(task, **FAR)
    for length in (1, 3, 6):
        way, there = walked(task, length, rng)
        found = decide(there, before=earlier(task, first, way), **FAR)
        assert said(there, found) == by_definition(there)
        assert found.undecided == ()


def first_of(name):
    return ground(entry(name).domain, next(iter(easy_problems(name, 1))))


@pytest.mark.parametrize("name", ["blocksworld", "gripper", "logistics"])
def test_where_the_way_is_undone_nothing_more_is_searched_for(name, monkeypatch):
    task = first_of(name)
    first = decide(task, **FAR)
    way, there = walked(task, 4, random.Random(1))
    known = earlier(task, first, way)
    back = known.back(there)
    assert known.returns(there, back)
    assert task.state(run(there, back)[-1]) == task.state(task.init)
    anew = decide(there, **FAR)
    monkeypatch.setattr(evidence.TaskEvidence, "walk", lambda *_: pytest.fail("walked"))
    calls = count_calls(monkeypatch)
    found = decide(there, before=known, **FAR)
    assert all(call["forbidden"] for call in calls)
    assert found.reachable_actions == first.reachable_actions
    assert found.unreachable_facts.keys() == first.unreachable_facts.keys()
    assert replace(found, runs=anew.runs, plans=anew.plans, in_goal=anew.in_goal) == anew


@pytest.mark.parametrize(
    ("failed", "undone", "known", "tried"),
    [
        (True, True, False, 0),
        (False, True, False, 1),
        (True, False, False, 1),
        (True, True, True, 1),
    ],
)
def test_no_long_search_where_one_failed_nearby(failed, undone, known, tried, monkeypatch):
    task = first_of("blocksworld")
    first = decide(task, **FAR)
    way, there = walked(task, 4, random.Random(1))
    plan = decide(there, **FAR).plan if known else None
    before = earlier(task, replace(first, undecided=("next: some step",) * failed), way)
    calls = []
    for name in ("_quickly", "_by_orbits"):
        monkeypatch.setattr(shortest, name, lambda _: shortest.Shortest(None))
    monkeypatch.setattr(shortest, "_at_length", lambda state: calls.append(state) or shortest.Shortest(None))
    if not undone:
        monkeypatch.setattr(type(before), "returns", lambda *_: False)
    assert decide(there, plan=plan, before=before, max_states=1, calls=0).solvable
    assert len(calls) == tried


def test_steps_that_nothing_undoes_are_passed_over_on_the_way_back():
    """In alfworld what was washed stays clean; the rest of the way is taken back."""
    for problem in easy_problems("alfworld", 8):
        task = ground(entry("alfworld").domain, problem)
        for seed in range(30):
            way, there = walked(task, 10, random.Random(seed))
            known = earlier(task, decide(task), way)
            back = known.back(there)
            assert run(there, back) is not None
            lost = {"wash", "slice"} & {step[0] for step in way}
            if lost:
                assert back
                assert not known.returns(there, back)
                return
    pytest.fail("no walk washes or slices anything")


def test_a_landmark_stays_one_unless_it_was_met_on_the_way():
    met = kept = 0
    for seed in range(40):
        task = random_task(seed)
        first = decide(task, **FAR)
        way, there = walked(task, 2, random.Random(seed))
        known = earlier(task, first, way)
        truth = by_definition(there)["landmarks"]
        for fact, proof in first.landmarks.items():
            if known.landmark(fact) is None:
                met += 1
                assert any(fact in task.state(mask) for mask in run(task, way))
            elif truth or by_definition(there)["solvable"]:
                kept += 1
                assert known.landmark(fact) is proof
                assert fact in truth
    assert met
    assert kept


def test_a_landmark_that_a_planner_proved_is_not_asked_about_again(monkeypatch):
    calls, asked, saved = count_calls(monkeypatch), 0, 0
    for seed in range(60):
        task = random_task(seed)
        first = decide(task, **FAR)
        if Proof.UNSOLVABILITY not in first.landmarks.values():
            continue
        for action in applicable(task, task.init):
            state = task.state(progress(task.init, action))
            there = ground(task.domain, replace(task.problem, init=state))
            numbers = []
            for before in (None, earlier(task, first, [action.step])):
                calls.clear()
                found = decide(there, before=before, **FAR)
                numbers.append(sum(call.get("forbidden") is not None for call in calls))
            asked, saved = asked + numbers[0], saved + numbers[0] - numbers[1]
            assert said(there, found) == by_definition(there)
    assert asked >= saved > 0


def test_nothing_has_a_plan_after_a_state_that_has_none(monkeypatch):
    task = next(
        t for t in map(random_task, range(100)) if not by_definition(t)["solvable"] and applicable(t, t.init)
    )
    first = decide(task, **FAR)
    way, there = walked(task, 1, random.Random(0))
    calls = count_calls(monkeypatch)
    found = decide(there, before=earlier(task, first, way), calls=0, max_states=1, work=0)
    assert found.solvable is False
    assert not calls


def test_steps_are_followed_as_far_as_they_apply():
    task = first_of("ferry")
    plan = decide(task).plan.steps
    assert followed(task, [], plan) == list(plan)
    kept = followed(task, [], plan[1:])
    masks = run(task, kept)
    assert masks is not None
    left = [step for step in plan[1:] if step not in kept]
    assert left
    assert is_plan(task, [*followed(task, [], []), *plan])
    for mask, after in pairwise(masks):
        assert any(is_applicable(mask, a) and progress(mask, a) == after for a in task.actions)


def test_a_way_that_cannot_be_taken_is_refused():
    task = random_task(1)
    with pytest.raises(ValueError, match="no way"):
        earlier(task, decide(task), [("no-such-action",)])


@pytest.mark.parametrize("seed", range(40))
def test_every_action_is_reached_proven_or_named_though_much_is_open(seed):
    """What was seen from one state is seen of all that looks like it from the next."""
    task, rng = object_task(seed), random.Random(seed)
    known = decide(task)
    for share in (0.3, 0.7):
        some = frozenset(step for step in sorted(known.reachable_actions) if rng.random() < share)
        partly = replace(known, reachable_actions=some, unreachable_facts={}, never={}, runs=(), plans=())
        for length in (0, 1, 4):
            way, there = walked(task, length, rng)
            before = earlier(task, partly, way)
            found = decide(there, before=before, max_states=1, calls=0, work=0)
            still_open = {each for each in found.undecided if each.startswith("action: ")}
            counted = len(found.reachable_actions) + found.num_unreachable_actions + len(still_open)
            assert counted == found.num_steps
            assert found.reachable_actions <= decide(there).reachable_actions
