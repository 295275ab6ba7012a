"""What the tests of generators share: state spaces and closures by plain search, and isomorphism."""

import random
from collections import Counter
from functools import cache, reduce
from operator import and_
from pathlib import Path

import rustworkx

from orrery.catalog import Catalog
from orrery.language.words import Words, names_by_type
from orrery.planning.execution import check_plan
from orrery.planning.grounding import ground
from orrery.planning.task import applicable, progress

ROOT = Path(__file__).resolve().parents[2]


@cache
def entry(name):
    return Catalog(ROOT).entry(name)


@cache
def words(name):
    return Words(name, ROOT / "templates")


def states(task):
    """All reachable states, by breadth-first search."""
    masks = [task.init]
    seen = set(masks)
    for mask in masks:
        for action in applicable(task, mask):
            if (after := progress(mask, action)) not in seen:
                seen.add(after)
                masks.append(after)
    return masks


def closure(place, task, reached):
    """The fluent facts true in every goal state among ``reached``; None where there is no goal state."""
    goals = [mask for mask in reached if task.is_goal(mask)]
    if not goals:
        return None
    always = reduce(and_, goals)
    return frozenset(fact for fact in task.facts_of(always) if fact[0] in place.domain.fluents)


def exact(place, problems, *, everywhere=True):
    """Hold closure rule and planner against exhaustive search; count the problems that each of them settles.

    Unless they are exact ``everywhere``, they may leave a problem to the search; a plan must be valid always.
    """
    settled = Counter[str]()
    for problem in problems:
        task = ground(place.domain, problem)
        expected = closure(place, task, states(task))
        rule = place.closure_rule(problem)
        assert rule == expected or (rule is None and not everywhere), problem
        settled["closed"] += rule is not None
        settled["left"] += rule is None and expected is not None
        if place.planner:
            steps = place.planner(problem)
            assert steps is None or check_plan(place.domain, problem, steps).valid, problem
            assert (steps is None) == (expected is None) or not everywhere
            settled["planned"] += steps is not None
    return settled


def generate(place, task, difficulty, seed):
    rng = random.Random(seed)
    parameters = place.generator.draw(task, place.description.difficulties[difficulty], rng)
    return parameters, place.generator.build(task, parameters, rng)


def every_task(place):
    return ((task, level) for task in place.generator.TASKS for level in place.description.difficulties)


def abstract(name, generated, variant=0):
    """The abstract text of both sides, or None where a configuration has none."""
    wordings, task = words(name), generated.task
    if not (wordings.has_passage("init", task.init) and wordings.has_passage("goal", task.goal)):
        return None
    names = names_by_type(generated.problem, entry(name).domain)
    stated = wordings.passage("init", task.init, generated.init_parameters, names, variant)
    return stated + "\n" + wordings.passage("goal", task.goal, generated.goal_parameters, names, variant)


def graph(problem, parts):
    """Objects and facts as nodes, coloured by type, or by part and predicate; edges numbered by argument."""
    structure = rustworkx.PyGraph()
    node = {typed.name: structure.add_node(typed.types) for typed in problem.objects}
    for part, facts in parts.items():
        for fact in sorted(facts):
            this = structure.add_node((part, fact[0]))
            structure.add_edges_from([(this, node[name], index) for index, name in enumerate(fact[1:])])
    return structure


def refined(structure):
    """The graph, its colours refined by the neighbours': matching alone hangs on symmetric problems."""
    colours = [hash(colour) for colour in structure.nodes()]
    ends = [
        [(neighbour, edge) for neighbour, edge in structure.adj(node).items()]
        for node in structure.node_indices()
    ]
    classes = 0
    while len(set(colours)) > classes:
        classes = len(set(colours))
        near = [sorted((colours[neighbour], edge) for neighbour, edge in arcs) for arcs in ends]
        colours = [hash((colour, tuple(arcs))) for colour, arcs in zip(colours, near, strict=True)]
    after = rustworkx.PyGraph()
    after.add_nodes_from(colours)
    after.add_edges_from(list(structure.weighted_edge_list()))
    return after


def isomorphic(first, second):
    first, second = refined(first), refined(second)
    same = sorted(first.nodes()) == sorted(second.nodes())
    return same and rustworkx.is_isomorphic(first, second, lambda a, b: a == b, lambda a, b: a == b)


def equivalent(place, first, second):
    """Strictly for tied and strict tasks; else each side alone, the goal's together with the static facts."""
    graphs = []
    for generated in (first, second):
        problem = generated.problem
        static = {fact for fact in problem.init if fact[0] not in place.domain.fluents}
        init, goal = {"init": problem.init}, {"goal": problem.goal_facts}
        if generated.task.interchangeable:
            graphs.append((graph(problem, init), graph(problem, {"static": static} | goal)))
        else:
            graphs.append((graph(problem, init | goal),))
    return all(isomorphic(a, b) for a, b in zip(*graphs, strict=True))
