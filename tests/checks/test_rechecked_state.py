"""The second routes themselves, against plain definitions: steps, searches, pairs of facts, samples."""

import random
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise

import pytest

from orrery.checks import breadth_first_search, rechecked_state
from orrery.checks.breadth_first_search import explore
from orrery.checks.compiled_query import Condition, any_of, each_of, needs, one_of_first
from orrery.checks.lifted import Lifted
from orrery.checks.reachability import Pairs, ReachedSamples
from orrery.checks.rechecked_state import RecheckedState
from orrery.model import Plan, literals
from orrery.planning import exhaustive_python as plain
from orrery.planning.execution import progress
from orrery.planning.fast_downward import OPTIMAL, solve
from orrery.planning.grounding import ground
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from tests.every_domain import CATALOG, easy_problems, entry
from tests.planning import plain_search
from tests.planning.small_tasks import random_task
from tests.universe import applicable_steps

NAMES = [name for name in CATALOG.names if entry(name).tasks]
LARGE = 2_000  # states of a task that is decided by definition here
WALK = 6


@cache
def problem_of(name):
    return easy_problems(name, 1)[0]


def first_transitions(graph):
    """The (action, target) pairs of the first state."""
    return [(action, target) for source, action, target in graph.transitions() if source == 0]


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


def conditions(task, rng):
    """Single facts, pairs of facts, and what actions need."""
    bits = [1 << index for index in range(len(task.facts))]
    pairs = [Condition(one | other) for one, other in combinations(bits, 2)]
    some = [Condition(bit) for bit in bits] + rng.sample(pairs, min(60, len(pairs)))
    return some + list(map(needs, task.actions)) + [Condition(bit, other) for bit, other in pairwise(bits)]


def test_nothing_that_is_reached_is_excluded_and_many_mutexes_are():
    excluded = 0
    for name, task in small().items():
        states, pairs = plain.reachable(task).states, Pairs(task)
        for each in conditions(task, random.Random(name)):
            if pairs.exclude(each):
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
            assert {each for each in some if seeing.satisfy(each)} <= met
        assert {each for each in some if seeing.satisfy(each)} == met


def test_samples_widen_until_a_condition_is_met_and_go_on_from_there(monkeypatch):
    monkeypatch.setattr(breadth_first_search, "TOGETHER", 1)
    task = next(task for task in map(random_task, range(60)) if explore(task).size > 20)
    every_fact = (1 << len(task.facts)) - 1
    exactly = [Condition(state, ~state & every_fact) for state in explore(task).states]
    samples = ReachedSamples(task, explore(task, 1))
    assert samples.widen(exactly[8])
    assert not samples.satisfy(exactly[-1]), "the search stops where it finds the state"
    assert samples.widen(exactly[-1])
    assert all(map(samples.satisfy, exactly[:-1]))
    assert not samples.widen(Condition(1, 1))


def test_a_plan_that_another_found_counts_if_it_is_one():
    problem = problem_of("ferry")
    steps = solve(task_of("ferry")).plan.steps
    here = RecheckedState(entry("ferry").domain, problem, 0.0, 0.0, most=1, plain=False)
    for wrong in (steps[:-1], steps[1:], [("sail", "nowhere", "nowhere")]):
        here.take_plan(wrong)
        assert not here._facts_of_plans
    here.take_plan(steps)
    assert here.solvable is True


def test_an_inapplicable_plan_of_the_planner_is_an_error(monkeypatch):
    plan = Plan((("sail", "nowhere", "nowhere"),), "planner")
    monkeypatch.setattr(
        rechecked_state, "solve", lambda *_, **__: PlannerResult(PlannerOutcome.SOLVED, plan=plan)
    )
    here = RecheckedState(entry("ferry").domain, problem_of("ferry"), 1.0, 5.0, most=1, plain=False)
    with pytest.raises(AssertionError, match="executed"):
        _ = here.solvable


def test_wider_tasks_are_solved_where_what_they_ask_is_so():
    for name, task in list(small().items())[:4]:
        states, rng = plain.reachable(task).states, random.Random(name)
        some = rng.sample(conditions(task, rng), 6)
        met = [each for each in some if any(map(each.met, states))]
        never = [each for each in some if each not in met]
        assert solve(each_of(task, [])).solvable
        assert solve(any_of(task, never)).solvable in (False, None if not never else False)
        if met:
            assert solve(any_of(task, [*never, met[0]])).solvable
            assert solve(each_of(task, met[:1])).solvable
        if met and never:
            assert solve(each_of(task, [met[0], never[0]])).solvable is False


@pytest.mark.slow
def test_a_plan_that_must_begin_with_some_steps_is_as_long_as_the_best_of_them():
    for task in small().values():
        graph, distances = explore(task), plain_search.goal_distances(task)
        steps = [task.actions[action].step for action, _ in first_transitions(graph)]
        after = {task.actions[a].step: distances.get(graph.states[to]) for a, to in first_transitions(graph)}
        if not graph.cost:
            continue
        for some in (steps[:1], steps[-1:], steps):
            costs = [after[step] + 1 for step in some if after[step] is not None]
            answer = solve(one_of_first(task, some), planner=OPTIMAL)
            assert (len(answer.plan.steps) if answer.plan else None) == min(costs, default=None)


def test_no_call_is_made_when_the_time_for_a_state_is_spent(monkeypatch):
    def slow(task, **limits):
        assert limits["seconds"] <= 0.5
        return PlannerResult(PlannerOutcome.OUT_OF_TIME, seconds=0.5)

    monkeypatch.setattr(rechecked_state, "solve", slow)
    here = RecheckedState(entry("ferry").domain, problem_of("ferry"), 1.0, 0.5, plain=False)
    assert here.call_planner(here.task) is not rechecked_state.SPENT
    assert here.call_planner(here.task) is rechecked_state.SPENT


def test_what_greedy_search_passes_by_is_seen_by_a_wider_plain_search_and_else_asked_of_a_star(monkeypatch):
    for name, task in list(small().items())[:6]:
        asked = []

        def slow(_, asked=asked, **limits):
            asked.append(limits["planner"] == OPTIMAL)
            return PlannerResult(PlannerOutcome.OUT_OF_TIME)

        monkeypatch.setattr(rechecked_state, "solve", slow)
        here = RecheckedState(entry(name).domain, task.problem, 1.0, 5.0, most=1, plain=False)
        known = plain.reachable(task).states
        for each in map(needs, here.task.actions):
            is_met = any(map(each.met, known))
            assert here.can_hold(each) in ((True,) if is_met else (False, None))
            if not here.samples.is_wide:
                assert not asked, "a first search saw it"
        assert asked[:1] in ([], [False]), "greedy search comes first"
        assert all(asked[1:]), "and is not tried again where it passed one by"


def test_goals_that_exclude_each_other_have_no_plan_though_the_planner_has_no_time(monkeypatch):
    problem = problem_of("blocksworld")
    one, two, three = sorted(each.name for each in problem.objects)[:3]
    monkeypatch.setattr(rechecked_state, "solve", lambda *_, **__: PlannerResult(PlannerOutcome.OUT_OF_TIME))
    for goal, expected in ({("on", one, two), ("on", one, three)}, False), ({("on", one, two)}, None):
        asked = replace(problem, goal=literals(goal))
        here = RecheckedState(entry("blocksworld").domain, asked, 1.0, 5.0, most=1, plain=False)
        assert here.solvable is expected
