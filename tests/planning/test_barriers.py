"""States made for questions on reachability."""

import random
from collections import Counter
from dataclasses import replace
from statistics import mean

import pytest

from orrery.checks.states import origin_faults
from orrery.pddl.write import write_atom
from orrery.planning.barriers import BARRED, MOST, barred_states
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import Grounder
from orrery.planning.possible import added_facts, possible_atoms, possible_steps
from orrery.planning.task import applicable, union
from tests.every_domain import CATALOG, drawn, entry

NAMES = sorted(name for name in CATALOG.names if entry(name).description.barriers)
MOST_STATES, TASKS = 300, 6


def problems(name):
    """A problem of each task, of the first size at which there are many places."""
    made = (drawn(name, task, "medium", number) for number, task in enumerate(entry(name).tasks[:TASKS]))
    return [generated.problem for generated in made if generated]


@pytest.fixture(params=NAMES, scope="module")
def made(request):
    """The barriers of a domain, and its problems with their barred states."""
    domain, barriers = entry(request.param).domain, entry(request.param).description.barriers
    grounder = Grounder(domain)
    states = [
        (problem, list(barred_states(grounder, problem, barriers, 3, random.Random(number))))
        for number, problem in enumerate(problems(request.param))
    ]
    return grounder, barriers, states


def test_barred_states_lack_initial_facts_and_leave_some_out_of_reach(made):
    grounder, barriers, states = made
    shares = []
    for problem, barred in states:
        assert len({state.state for state in barred}) == len(barred)
        for state in barred:
            assert {fact[0] for fact in problem.init - state.state} <= {*barriers}
            assert state.state < problem.init
            task = grounder.ground(replace(problem, init=state.state))
            space = reachable(task, limit=MOST_STATES)
            steps = grounder.explore(task.problem).steps
            reached = (
                task.facts_of(union(space.depth))
                if space.complete
                else state.state | added_facts(grounder.domain, steps)
            )
            universe = possible_atoms(grounder.domain, task.problem)
            never = {fact for fact in universe if fact not in reached}
            # No fact is out of reach at a glance: some action that static facts allow adds it.
            assert never <= added_facts(grounder.domain, possible_steps(grounder.domain, task.problem))
            shares.append(len(never) / len(universe))
    assert max(shares) < MOST + 0.2  # what only search finds out of reach comes on top
    assert 0 < sum(share > 0 for share in shares) < len(shares)


def test_few_ways_into_a_place_are_no_proof_that_it_is_out_of_reach(made):
    grounder, [barrier], states = made
    [agent] = entry(grounder.domain.name).description.sight.agent
    compared = 0
    for problem, barred in states:
        for state in barred:
            task = grounder.ground(replace(problem, init=state.state))
            added = {fact for step in applicable(task, task.init) for fact in task.facts_of(step.add)}
            near = {fact[1] for fact in added if fact[0] == agent}
            reached = {fact[1] for fact in task.facts if fact[0] == agent}
            ways_in = Counter(fact[2] for fact in state.state if fact[0] == barrier)
            ways_out = Counter(fact[1] for fact in state.state if fact[0] == barrier)
            start = {fact[1] for fact in state.state if fact[0] == agent}
            places = (ways_in | ways_out).keys() - near - start
            chance = mean(place not in reached for place in places)
            compared += chance > 0
            for count in (ways_in.get, lambda place, i=ways_in, o=ways_out: i[place] - o[place]):
                fewest = [place for place in places if count(place) == min(map(count, places))]
                assert mean(place not in reached for place in fewest) <= chance
    assert compared


def test_barred_states_are_the_same_for_a_seed_and_need_barriers(made):
    grounder, barriers, states = made
    number, (problem, barred) = next((n, made) for n, made in enumerate(states) if made[1])
    assert list(barred_states(grounder, problem, barriers, 3, random.Random(number))) == barred
    assert not list(barred_states(grounder, problem, [], 3, random.Random(0)))


def test_the_origin_of_a_state_is_checked(made):
    grounder, barriers, states = made
    problem, barred = next((problem, barred) for problem, barred in states if barred)
    row = {"source": BARRED, "state": sorted(map(write_atom, barred[0].state))}

    def faults(barriers=barriers, **changed):
        return origin_faults({**row, **changed}, problem.init, grounder.domain.fluents, barriers)

    assert not faults()
    assert faults(barriers=())
    assert faults(source="walk") or {*barriers} <= grounder.domain.fluents
    other = next(fact for fact in sorted(problem.init) if fact[0] not in barriers)
    assert faults(state=sorted(map(write_atom, barred[0].state - {other})))
