"""Random episodes: equal to plain execution and another simulator, and the same in any process."""

import random
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from unified_planning.io import PDDLReader
from unified_planning.shortcuts import SequentialSimulator, get_environment

import orrery
from orrery.grading.plans.plan_reply import read_plan
from orrery.planning.execution import applicable, progress
from orrery.planning.possible import possible_steps
from tests.worlds.episodes import DOMAINS, every_domain, wandered

STEPS = 62_500  # of a domain; a million in all


class Compared:
    """A walk whose states, actions and phrases are compared with plain execution over all possible steps."""

    def __init__(self, domain, seed):
        self.world, self.rng = (
            orrery.world(domain, seed=seed, max_steps=10**9, end_in_dead_ends=False),
            random.Random(seed),
        )
        self.problem, self.domain = self.world.problem, self.world.problem.domain
        self.possible = possible_steps(self.domain, self.problem.problem)
        self.state, self.compared, self.steps = self.problem.problem.init, set(), 0

    def walk(self, steps):
        turn = self.world.reset()
        self.state = self.problem.problem.init
        while self.steps < steps and not turn.done:
            view = self.problem.view(self.world.state)
            if self.world.state not in self.compared:
                self.compare(view)
                self.compared.add(self.world.state)
            if not view.actions:
                break
            action = self.rng.choice(view.actions)
            turn = self.world.step(self.problem.texts.action(action.step))
            self.state = progress(self.domain, self.state, action.step)
            self.steps += 1
            assert self.problem.task.state(self.world.state) == self.state

    def compare(self, view):
        steps = [action.step for action in view.actions]
        assert steps == sorted(step for step in self.possible if applicable(self.domain, self.state, step))
        for step, phrase in zip(steps, view.phrases, strict=True):
            assert [read for read, _ in read_plan(phrase, self.problem.graded_row)] == [step]


@every_domain
def test_random_steps_are_those_of_plain_execution(domain):
    Compared(domain, 1).walk(100)


@pytest.mark.exhaustive
@every_domain
def test_a_million_random_steps_are_those_of_plain_execution(domain):
    seed, left = 0, STEPS
    while left > 0:
        compared = Compared(domain, seed)
        for _ in range(50):
            compared.walk(min(left, 5_000))
        left, seed = left - compared.steps, seed + 1


def compare_with_unified_planning(domain, steps):
    """Random steps, with the applicable actions and the successor states of unified-planning's simulator."""
    get_environment().credits_stream, get_environment().error_used_name = None, False
    world, rng = orrery.world(domain, seed=2, max_steps=10**9, end_in_dead_ends=False), random.Random(2)
    row = world.problem.graded_row
    problem = PDDLReader().parse_problem_string(row["domain_pddl"], row["problem_pddl"])
    simulator = SequentialSimulator(problem)
    state, turn = simulator.get_initial_state(), world.reset()
    for _ in range(steps):
        view = world.problem.view(world.state)
        named = {
            (a.name, *map(str, parameters)): (a, parameters)
            for a, parameters in simulator.get_applicable_actions(state)
        }
        assert sorted(named) == [action.step for action in view.actions]
        true = {
            (fact.fluent().name, *map(str, fact.args))
            for fact in problem.initial_values
            if state.get_value(fact).is_true()
        }
        assert true == world.problem.task.state(world.state) | (
            true - {f for f in true if f[0] in world.problem.domain.fluents}
        )
        if not view.actions or turn.done:
            state, turn = simulator.get_initial_state(), world.reset()
            continue
        action = rng.choice(view.actions)
        state = simulator.apply_unsafe(state, *named[action.step])
        turn = world.step(world.problem.texts.action(action.step))


@pytest.mark.slow
@every_domain
def test_random_steps_are_those_of_unified_planning(domain):
    compare_with_unified_planning(domain, 20)


@pytest.mark.exhaustive
@every_domain
def test_ten_thousand_random_steps_are_those_of_unified_planning(domain):
    compare_with_unified_planning(domain, 625)


@pytest.mark.slow
def test_64_threads_give_the_same_transcripts():
    episodes = [(DOMAINS[number % 4], number % 8) for number in range(64)]
    alone = [wandered(*episode) for episode in episodes[:8]]
    with ThreadPoolExecutor(64) as threads:
        together = list(threads.map(lambda episode: wandered(*episode), episodes))
    assert together == alone * 8


@pytest.mark.slow
def test_8_spawned_processes_give_the_same_transcripts():
    names = DOMAINS[:8]
    with ProcessPoolExecutor(8, mp_context=get_context("spawn")) as processes:
        together = list(processes.map(wandered, names, [3] * 8))
    assert together == [wandered(name, 3) for name in names]
