"""The second routes themselves, against plain definitions: steps, spaces, projections, samples."""

import random
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest

from orrery.checks import reached_samples, rechecked_state
from orrery.checks.compiled_query import Condition, any_of, each_of, needs, one_of_first
from orrery.checks.lifted import Lifted
from orrery.checks.pairs import Pairs
from orrery.checks.projections import Projections
from orrery.checks.reached_samples import ReachedSamples, Tour
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.space import Spaces, _Known, explore, visited
from orrery.model import literals
from orrery.planners import exhaustive_python as plain
from orrery.planners.fast_downward import solve
from orrery.planners.outcome import Answer, PlannerOutcome
from orrery.semantics.execution import progress
from orrery.semantics.grounding import ground
from tests.every_domain import CATALOG, easy_problems, entry
from tests.planners import plain_search
from tests.universe import applicable_steps

NAMES = [name for name in CATALOG.names if entry(name).tasks]
LARGE = 2_000  # states of a task that is decided by definition here
WALK = 6


@cache
def problem_of(name):
    return easy_problems(name, 1)[0]


def first_steps(space):
    """The (action, state) edges of the first state."""
    leaving = space.sources == 0
    return list(zip(space.actions[leaving].tolist(), space.targets[leaving].tolist(), strict=True))


@cache
def task_of(name):
    return ground(entry(name).domain, problem_of(name))


@cache
def small():
    """Tasks of few states, by domain."""
    tasks = {name: ground(entry(name).domain, p) for name in NAMES for p in easy_problems(name, 4)}
    return {name: task for name, task in tasks.items() if plain.reachable(task, limit=LARGE).complete}


@pytest.mark.parametrize("name", NAMES)
def test_lifted_steps_are_all_well_typed_actions_that_apply(name):
    domain, problem, rng = entry(name).domain, problem_of(name), random.Random(name)
    lifted, state = Lifted(domain, problem), problem.init
    for _ in range(WALK):
        steps = lifted.applicable(state)
        assert steps == applicable_steps(domain, problem, state)
        if not steps:
            break
        state = progress(domain, state, rng.choice(steps))


def test_a_space_is_what_the_plain_search_finds():
    assert len(small()) > 5
    for task in small().values():
        space = explore(task)
        assert space.complete
        assert dict(zip(space.states, space.depths, strict=True)) == plain.reachable(task).depth
        distances = dict(zip(space.states, space.distances, strict=True))
        assert {state: d for state, d in distances.items() if d >= 0} == plain_search.goal_distances(task)
        assert space.cost == plain_search.goal_distances(task).get(task.init)


def test_landmarks_of_a_space_are_the_facts_without_which_no_goal_is_reached():
    for task in small().values():
        if len(explore(task).states) < 400:
            assert explore(task).landmarks == plain_search.landmarks(task)


def test_openers_begin_shortest_plans_and_no_other_action_does():
    for task in small().values():
        space = explore(task)
        if space.cost:
            distance = dict(zip(space.states, space.distances, strict=True))
            optimal_first = {
                n for n, after in first_steps(space) if distance[space.states[after]] == space.cost - 1
            }
            assert space.openers == optimal_first
            nearer = sum(depth < space.cost for depth in space.depths)
            assert explore(task, tests=(nearer - 1) * len(task.actions)).openers == optimal_first


@pytest.mark.parametrize("most", [1, 2, 7, 50])
def test_an_unfinished_space_is_the_beginning_of_the_whole(most):
    for task in small().values():
        whole, part = explore(task), explore(task, most)
        assert part.complete == (most >= len(whole.states))
        assert part.states == whole.states[: len(part.states)]
        assert part.openers in (None, whole.openers)


@pytest.mark.parametrize("most", [1, 7, 50, 10_000])
@pytest.mark.parametrize("tests", [1, 100, 10**6])
def test_a_search_without_edges_sees_what_one_with_them_sees(most, tests):
    for task in small().values():
        seen, graph = visited(task, most, tests), explore(task, most, tests)
        assert (seen.words == graph.words).all()
        assert seen.reached == graph.reached
        assert seen.applied == graph.applied == frozenset(graph.actions.tolist())
        for condition in map(needs, task.actions):
            assert (seen.meeting(*condition) == graph.meeting(*condition)).all()


def conditions(task, rng):
    """Single facts, pairs of facts, and what actions need."""
    bits = [1 << index for index in range(len(task.facts))]
    pairs = [Condition(one | other) for one, other in combinations(bits, 2)]
    some = [Condition(bit) for bit in bits] + rng.sample(pairs, min(60, len(pairs)))
    return some + list(map(needs, task.actions)) + [Condition(bit, other) for bit, other in pairwise(bits)]


@pytest.mark.parametrize("shown", [Projections, Pairs])
def test_nothing_that_is_reached_is_excluded_and_many_mutexes_are(shown):
    excluded = 0
    for name, task in small().items():
        states, projections = plain.reachable(task).states, shown(task)
        for each in conditions(task, random.Random(name)):
            if projections.exclude(each):
                assert not any(map(each.met, states)), each
                excluded += 1
    assert excluded > 100


def test_what_is_seen_is_reached_and_of_a_whole_space_all_is_seen():
    few = {name: task for name, task in small().items() if len(explore(task).states) < 300}
    for name, task in few.items():
        states, some = plain.reachable(task).states, conditions(task, random.Random(name))
        met = {each for each in some if any(map(each.met, states))}
        simple = [each for each in some if each.positive.bit_count() == 1 and not each.negative]
        simple += map(needs, task.actions)
        for most in (1, 50_000):
            seeing = ReachedSamples(task, explore(task, most))
            seen = set(simple) - set(seeing.unseen(simple))
            assert seen <= met
            assert {each for each in some if seeing.met(each)} <= met
        assert {each for each in some if seeing.met(each)} == met


def test_a_wider_search_holds_no_more_states_than_its_bytes_allow(monkeypatch):
    monkeypatch.setattr(reached_samples, "WIDE_BYTES", 2_000)
    for task in small().values():
        seeing, whole = ReachedSamples(task, explore(task, 1)), explore(task)
        seeing.widen()
        words = seeing.space.words
        most = 2_000 // words[0].nbytes
        assert len(words) == min(most, whole.size)
        assert (words == whole.words[:most]).all()


def test_what_is_taken_over_from_other_states_is_reached_and_of_a_state_out_of_reach_nothing_is():
    taken, left_out = 0, 0
    for name, task in small().items():
        rng, domain = random.Random(name), entry(name).domain
        states = sorted(plain.reachable(task).states)
        for state in rng.sample(states, min(6, len(states))):
            there = replace(task.problem, init=task.state(state))
            first = RecheckedState(domain, there, 1.0, 5.0, most=1, plain=False)
            first.unseen(map(needs, first.task.actions))
            start = replace(task.problem, init=task.state(rng.choice(states)))
            here = RecheckedState(domain, start, 1.0, 5.0, most=1, plain=False, others=first.reached())
            reached = plain.reachable(here.task).states
            wanted = list(map(needs, here.task.actions))
            waiting = here._unseen_nearby(wanted)
            assert all(any(map(each.met, reached)) for each in set(wanted) - set(waiting))
            if not first.visited.complete and here.task.facts == task.facts:
                taken += here.seen.found().steps >= first.seen.found().steps
                left_out += state not in reached
    assert taken > 10
    assert left_out > 3


def test_what_is_reached_in_another_problem_is_not_taken_over():
    domain, (one, other) = entry("ferry").domain, easy_problems("ferry", 2)
    found = ReachedSamples(ground(domain, one), explore(ground(domain, one), 1)).found()
    assert found.is_of(domain, one)
    assert not found.is_of(entry("gripper").domain, one)
    assert not found.is_of(domain, replace(one, objects=other.objects[:1]))


def test_a_condition_is_toured_to_once_whatever_was_asked_before(monkeypatch):
    asked = []
    monkeypatch.setattr(
        rechecked_state, "tour", lambda _, some: asked.append(list(some)) or Tour([here.task.init], [])
    )
    here = RecheckedState(entry("ferry").domain, problem_of("ferry"), 0.0, 0.0, most=1, plain=False)
    every = list(dict.fromkeys(map(needs, here.task.actions)))
    for some in (every[:4], every[:4], every):
        here.unseen(some)
    assert len(asked) == 2
    assert not set(asked[0]) & set(asked[1])


def test_a_plan_that_another_found_counts_if_it_is_one():
    problem = problem_of("ferry")
    steps = solve(task_of("ferry")).plan.steps
    here = RecheckedState(entry("ferry").domain, problem, 0.0, 0.0, most=1, plain=False)
    for wrong in (steps[:-1], steps[1:], [("sail", "nowhere", "nowhere")]):
        here.take_plan(wrong)
        assert not here._plans
    here.take_plan(steps)
    assert here.solvable is True


def test_wider_tasks_are_solved_where_what_they_ask_is_so():
    for name, task in list(small().items())[:4]:
        states, rng = plain.reachable(task).states, random.Random(name)
        some = rng.sample(conditions(task, rng), 6)
        met = [each for each in some if any(map(each.met, states))]
        never = [each for each in some if each not in met]
        assert solve(any_of(task, never)).solvable in (False, None if not never else False)
        if met:
            assert solve(any_of(task, [*never, met[0]])).solvable
            assert solve(each_of(task, met[:1])).solvable
        if met and never:
            assert solve(each_of(task, [met[0], never[0]])).solvable is False


def test_a_plan_that_must_begin_with_some_steps_is_as_long_as_the_best_of_them():
    for task in small().values():
        space = explore(task)
        steps = [task.actions[number].step for number, _ in first_steps(space)]
        after = {task.actions[n].step: space.distances[to] for n, to in first_steps(space)}
        if not space.cost:
            continue
        for some in (steps[:1], steps[-1:], steps):
            costs = [after[step] + 1 for step in some if after[step] >= 0]
            answer = solve(one_of_first(task, some), optimal=True)
            assert (len(answer.plan.steps) if answer.plan else None) == min(costs, default=None)


def test_no_call_is_made_when_the_time_for_a_state_is_spent(monkeypatch):
    def slow(task, **limits):
        assert limits["seconds"] <= 0.5
        return Answer(PlannerOutcome.OUT_OF_TIME, seconds=0.5)

    monkeypatch.setattr(rechecked_state, "solve", slow)
    here = RecheckedState(entry("ferry").domain, problem_of("ferry"), 1.0, 0.5, plain=False)
    assert here.asked(here.task) is not rechecked_state.SPENT
    assert here.asked(here.task) is rechecked_state.SPENT


def test_what_greedy_search_passes_by_is_seen_by_a_wider_plain_search_and_else_asked_of_a_star(monkeypatch):
    for name, task in list(small().items())[:6]:
        asked = []

        def slow(_, asked=asked, **limits):
            asked.append(limits.get("optimal", False))
            return Answer(PlannerOutcome.OUT_OF_TIME)

        monkeypatch.setattr(rechecked_state, "solve", slow)
        here = RecheckedState(entry(name).domain, task.problem, 1.0, 5.0, most=1, plain=False)
        known = plain.reachable(task).states
        for each in map(needs, here.task.actions):
            is_met = any(map(each.met, known))
            assert here.can_hold(each) in ((True,) if is_met else (False, None))
            if not here.seen.wide:
                assert not asked, "a first search saw it"
        assert asked[:1] in ([], [False]), "greedy search comes first"
        assert all(asked[1:]), "and is not tried again where it passed one by"


def test_the_table_of_states_grows_and_keeps_the_numbers():
    rng, words = np.random.default_rng(0), 2
    rows, known = rng.integers(0, 40, (9_000, words)).astype(np.uint64), _Known(words)
    first = {}
    for start in range(0, len(rows), 700):
        some = rows[start : start + 700]
        for row in map(tuple, some.tolist()):
            first.setdefault(row, len(first))
        assert known.enter(some).tolist() == [first[tuple(row)] for row in some.tolist()]
        assert list(map(tuple, known.words.tolist())) == list(first)


def test_goals_that_exclude_each_other_have_no_plan_though_the_planner_has_no_time(monkeypatch):
    problem = problem_of("blocksworld")
    one, two, three = sorted(each.name for each in problem.objects)[:3]
    monkeypatch.setattr(rechecked_state, "solve", lambda *_, **__: Answer(PlannerOutcome.OUT_OF_TIME))
    for goal, expected in ({("on", one, two), ("on", one, three)}, False), ({("on", one, two)}, None):
        asked = replace(problem, goal=literals(goal))
        here = RecheckedState(entry("blocksworld").domain, asked, 1.0, 5.0, most=1, plain=False)
        assert here.solvable is expected


def test_what_contradicts_itself_holds_in_no_state_and_is_never_done():
    task = next(iter(small().values()))
    space, bit = explore(task), 1 << 0
    assert len(space.meeting(bit, 0)) + len(space.meeting(0, bit)) == space.size
    assert not len(space.meeting(bit, bit))
    assert not len(space.meeting(1 << 500, 0))
    assert len(space.meeting(0, 1 << 500)) == space.size
    never = task.actions[0]._replace(positive=bit, negative=bit)
    assert explore(replace(task, actions=(never,))).size == 1


def test_searches_are_shared_by_goals_and_limits_and_by_nothing_else():
    made, (task, other, *_) = Spaces(), small().values()
    whole = made.explore(task)
    assert made.explore(task, whole.size).words is whole.words
    goal = replace(task, goal_positive=0, goal_negative=0)
    assert made.explore(goal).words is whole.words
    assert made.explore(goal).cost == 0
    part = made.explore(task, whole.size - 1)
    assert not part.complete
    assert part.states == explore(task, whole.size - 1).states
    for each in (other, replace(task, actions=task.actions[1:])):
        assert made.explore(each).states == explore(each).states
