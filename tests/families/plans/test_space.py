"""Distances and costs in a state space against searches on sets of facts."""

import networkx as nx
import pytest

from orrery.families.plans.space import space_of
from orrery.families.plans.tasks.optimal import ActionCosts
from orrery.families.plans.tasks.reuse import most_shared
from orrery.planning.execution import check_plan
from orrery.seeds import stream
from tests.families.plans.made import sources
from tests.plain_search import PlainSearch

DOMAINS = ("blocksworld", "ferry", "floortile", "goldminer")


def costs_of(source, seed):
    rng = stream(seed, source.entry.name)
    objects = [typed.name for typed in source.problem.objects]
    actions = {action.name: rng.randint(1, 9) for action in source.record.domain.actions}
    return ActionCosts(actions, {name: rng.randint(1, 9) for name in rng.sample(objects, 2)})


def cheapest(domain, problem, costs):
    """The least cost of a plan, by Dijkstra's search over all states."""
    graph = nx.MultiDiGraph()
    for state, following in PlainSearch(domain, problem).after.items():
        graph.add_weighted_edges_from((state, after, costs.of(step)) for step, after in following.items())
    lengths = nx.single_source_dijkstra_path_length(graph, problem.init)
    return min(length for state, length in lengths.items() if problem.satisfied(state))


def smallest(name):
    return min(sources(name), key=lambda source: len(source.space))


@pytest.mark.parametrize("name", DOMAINS)
def test_least_costs_are_those_of_a_uniform_cost_search(name):
    source = smallest(name)
    domain, problem, space = source.record.domain, source.problem, source.space
    goal = source.goal_states
    costs = costs_of(source, 3)
    costs_read = space.costs(goal, costs.of)
    assert costs_read[0] == cheapest(domain, problem, costs)
    plan = space.cheapest(0, costs_read, costs.of)
    assert sum(map(costs.of, plan)) == costs_read[0]
    assert check_plan(domain, problem, plan).valid
    unit = ActionCosts(dict.fromkeys(costs.actions, 1), {})
    assert space.costs(goal, unit.of)[0] == source.distances[0] == cheapest(domain, problem, unit)


@pytest.mark.parametrize("name", DOMAINS)
def test_the_least_cost_of_a_shortest_plan_is_that_where_each_step_costs_more_than_any_plan(name):
    source, weight = smallest(name), 10**6
    costs = costs_of(source, 4)
    dear = ActionCosts({action: cost + weight for action, cost in costs.actions.items()}, costs.objects)
    steps, cost = divmod(cheapest(source.record.domain, source.problem, dear), weight)
    assert steps == source.distances[0]
    assert cost == source.space.cost_of_shortest(source.distances, costs.of)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_shortest_plan_that_shares_most_steps(name):
    source = smallest(name)
    space, distances = source.space, source.distances
    plans = {plan for n in range(30) for plan in [tuple(space.shortest(0, distances, stream(n, name)))]}
    wanted = set(min(plans))
    plan, shared = most_shared(space, distances, wanted)
    assert check_plan(source.record.domain, source.problem, plan).valid
    assert len(plan) == distances[0]
    assert sum(step in wanted for step in plan) == shared
    assert shared == len(plan)  # one of them has these steps and no others
    nothing_shared, zero = most_shared(space, distances, set())
    assert zero == 0
    assert len(nothing_shared) == distances[0]


def test_a_space_that_is_too_large_is_none():
    assert space_of(sources("blocksworld")[0].task, 3) is None


@pytest.mark.parametrize("name", DOMAINS)
def test_the_chance_of_a_random_walk_is_the_sum_over_all_walks(name):
    source = smallest(name)
    problem, length = source.problem, 3
    search = PlainSearch(source.record.domain, problem)

    def chance(state, steps_left):
        if problem.satisfied(state):
            return 1.0
        if not steps_left:
            return 0.0
        following = search.after[state].values()
        return sum(chance(after, steps_left - 1) for after in following) / max(1, len(following))

    *_, walk_chance_read = source.space.walk_chances(0, source.goal_states, length)
    assert walk_chance_read == pytest.approx(chance(problem.init, length))
