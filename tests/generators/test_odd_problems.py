"""Planners and closure rules are exact on problems of any sound state, and right or silent on others.

The others are valid problems that no generator makes, with things in two places or vague types. Models write
such problems.
"""

import random
from dataclasses import replace

import pytest

from orrery.model import Literal, OrreryError, TypedName, literals
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem
from orrery.planning.execution import check_plan
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground
from tests.effort import some
from tests.every_domain import CATALOG, easy_problems, entry
from tests.generators.brute_force import exact
from tests.scoring.problems.arbitrary import atoms

RULED = [name for name in CATALOG.names if entry(name).closure_rule]
PLANNED = [name for name in CATALOG.names if entry(name).planner]
MOST_OBJECTS, MOST_STATES = 12, 2_000
ENOUGH = 10  # problems of which the code says something
PARTIAL = {"depots": 4, "floortile": 3}  # how many times as many it settles as it leaves to the search


def small_problems(name):
    return [problem for problem in easy_problems(name, 60) if len(problem.objects) <= MOST_OBJECTS]


def begun_problems(name, count):
    """Small problems from any of their states, with goals of what generators ask for, some within reach."""
    domain, rng = entry(name).domain, random.Random(8)
    small = small_problems(name)
    asked = {fact[0] for problem in small for fact in problem.goal_facts}
    for problem in rng.choices(small, k=count):
        space = reachable(ground(domain, problem), limit=MOST_STATES)
        if space.complete:
            now, then = (space.task.facts_of(rng.choice(space.states)) for _ in range(2))
            init = now | {fact for fact in problem.init if fact[0] not in domain.fluents}
            for possible in (atoms(domain, problem.objects), sorted(then)):
                wanted = [atom for atom in possible if atom[0] in asked]
                goal = rng.sample(wanted, min(len(wanted), rng.randint(1, 3)))
                yield replace(problem, init=frozenset(init), goal=literals(goal))


def odd_problems(name, count):
    """Small problems with facts added or taken away, or with an object of another type."""
    domain, rng = entry(name).domain, random.Random(7)
    problems = (changed(problem, domain, rng) for problem in rng.choices(small_problems(name), k=count))
    return readable(domain, problems)


def readable(domain, problems):
    """Those that are problems of the domain: what has another type may not fit where it stands."""
    for problem in problems:
        try:
            yield read_problem(write_problem(problem), domain)
        except OrreryError:
            continue


def changed(problem, domain, rng):
    """The problem with a wild initial state, its own goal or another."""
    objects, init = list(problem.objects), set(problem.init)
    if domain.types and rng.random() < 0.4:
        place = rng.randrange(len(objects))
        name, (kind,) = objects[place]
        objects[place] = TypedName(name, (rng.choice(sorted(domain.ancestors[kind])),))
        init -= {fact for fact in init if fact[1:2] == (name,) and rng.random() < 0.5}
    every_atom = atoms(domain, objects)
    if objects == list(problem.objects) or rng.random() < 0.2:
        moved = rng.choice(sorted(init))
        same = [fact for fact in every_atom if fact[1:2] == moved[1:2] and fact[0] in domain.fluents]
        init -= {moved} if rng.random() < 0.3 else set()
        init |= {rng.choice(same)} if same else set()
    if init and rng.random() < 0.3:
        init -= {rng.choice(sorted(init))}
    goal = problem.goal
    if rng.random() < 0.7:
        wanted = rng.sample(every_atom, min(len(every_atom), rng.randint(0, 2)))
        goal = literals(fact for fact in wanted if fact[0] in domain.fluents)
    return replace(problem, objects=tuple(objects), init=frozenset(init), goal=goal)


def changed_once(problem, domain):
    """The problem with one fact less or more, one object of a wider type, one goal literal denied or new."""
    every_atom = atoms(domain, problem.objects)
    yield from (replace(problem, init=problem.init - {fact}) for fact in sorted(problem.init))
    yield from (replace(problem, init=problem.init | {atom}) for atom in every_atom)
    for place, (name, (kind, *_)) in enumerate(problem.objects):
        unplaced = frozenset(fact for fact in problem.init if name not in fact[1:])
        for wider in sorted(domain.ancestors.get(kind, {kind}) - {kind}):
            objects = (*problem.objects[:place], TypedName(name, (wider,)), *problem.objects[place + 1 :])
            yield replace(problem, objects=objects)
            yield replace(problem, objects=objects, init=unplaced)
    for atom, sign in sorted(problem.goal):
        yield replace(problem, goal=problem.goal - {(atom, sign)} | {Literal(atom, not sign)})
    yield from (replace(problem, goal=literals([atom])) for atom in every_atom)


def is_closed(place, problem):
    """Whether the closure rule says something, which must be what exhaustive search says.

    None where there are too many states to know that.
    """
    rule = place.closure_rule(problem)
    if rule is None:
        return False
    task = ground(place.domain, problem)
    space = reachable(task, limit=MOST_STATES)
    if not space.complete:
        return None
    always = space.goal_intersection()
    assert always is not None, problem
    assert rule == {fact for fact in task.facts_of(always[0]) if fact[0] in place.domain.fluents}, problem
    return True


def is_planned(place, problem):
    """Whether the planner finds a plan, which must be one."""
    steps = place.planner(problem)
    assert steps is None or check_plan(place.domain, problem, steps).valid, problem
    return steps is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*RULED, *PLANNED}))
def test_closure_rules_and_planners_settle_what_exhaustive_search_settles(name):
    settled = exact(entry(name), begun_problems(name, some(300)), everywhere=name not in PARTIAL)
    assert settled["closed"] + settled["planned"] > max(ENOUGH, PARTIAL.get(name, 0) * settled["left"])


@pytest.mark.parametrize("name", RULED)
def test_static_goal_facts_change_nothing_if_true_and_all_if_not(name):
    place, compared = entry(name), 0
    for problem in small_problems(name)[:10]:
        closure = place.closure_rule(problem)
        for atom in atoms(place.domain, problem.objects) if closure is not None else ():
            if atom[0] not in place.domain.fluents:
                stated = replace(problem, goal=problem.goal | literals([atom]))
                assert place.closure_rule(stated) == (closure if atom in problem.init else None), stated
                assert place.planner is None or atom in problem.init or place.planner(stated) is None
                compared += 1
    assert compared or not {p.name for p in place.domain.predicates} - place.domain.fluents


@pytest.mark.slow
@pytest.mark.parametrize("name", RULED)
def test_closure_rules_are_right_or_say_nothing(name):
    closed = [is_closed(entry(name), problem) for problem in odd_problems(name, some(3000))]
    assert closed.count(True) > ENOUGH
    assert closed.count(False) > ENOUGH


@pytest.mark.parametrize("name", PLANNED)
def test_plans_run_or_there_are_none(name):
    assert sum(is_planned(entry(name), problem) for problem in odd_problems(name, some(4000))) > ENOUGH


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*RULED, *PLANNED}))
def test_rules_and_planners_are_right_or_say_nothing_after_every_single_change(name):
    place, answers = entry(name), []
    smallest = sorted(easy_problems(name, 30), key=lambda problem: len(atoms(place.domain, problem.objects)))
    for problem in smallest[:3]:
        for changed_problem in readable(place.domain, changed_once(problem, place.domain)):
            answers += [is_closed(place, changed_problem)] if place.closure_rule else []
            answers += [is_planned(place, changed_problem)] if place.planner else []
    assert {True, False} <= {*answers}
