"""Our reading of a text equals that of the pddl package and of unified-planning."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings

from orrery.model import EQUAL, Problem, TypedName
from orrery.pddl.interchange import PackageReader, read_with_unified_planning
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from tests.effort import examples
from tests.pddl.random_pddl import tasks
from tests.pddl.translation import TOTAL_COST, from_package, from_unified_planning, reading

FOLDER = Path(__file__).resolve().parents[2] / "domains"
DOMAINS = sorted(path.parent.name for path in FOLDER.glob("*/domain.pddl"))


@pytest.fixture(scope="module")
def package():
    return PackageReader()


def package_reading(package, domain_text, problem_text):
    return from_package(package.domain(domain_text), package.problem(problem_text))


def our_reading(domain_text, problem_text):
    domain = read_domain(domain_text)
    return reading(domain, read_problem(problem_text, domain))


def as_unified_planning_keeps_it(ours):
    """With a metric it turns total-cost into a metric of its own and forgets the function."""
    if not ours.metric:
        return ours
    return replace(
        ours,
        functions=frozenset(f for f in ours.functions if f[0] != TOTAL_COST[0]),
        costs=frozenset(c for c in ours.costs if c[0] != TOTAL_COST),
    )


def comparable(domain, names, literals):
    """The literals that unified-planning calls well-formed: no '=' between unrelated types."""
    types = {typed.name: typed.types for typed in (*domain.constants, *names)}

    def related(first, second):
        return domain.fits(types[first], types[second]) or domain.fits(types[second], types[first])

    return frozenset(
        literal for literal in literals if literal.atom[0] != EQUAL or related(*literal.atom[1:])
    )


def with_comparable_equalities(domain, problem):
    """The task without what unified-planning refuses, and our reader does not."""
    actions = tuple(
        replace(action, preconditions=comparable(domain, action.parameters, action.preconditions))
        for action in domain.actions
    )
    goal = comparable(domain, problem.objects, problem.goal)
    return replace(domain, actions=actions), replace(problem, goal=goal)


def a_problem_of(domain):
    """Two objects a type, and every predicate once."""
    types = [typed.name for typed in domain.types] or ["object"]
    objects = tuple(TypedName(f"{name}-{number}", (name,)) for name in types for number in (1, 2))
    facts = set()
    for predicate in domain.predicates:
        chosen = [
            next(typed.name for typed in objects if domain.fits(typed.types, parameter.types))
            for parameter in predicate.parameters
        ]
        facts.add((predicate.name, *chosen))
    goal = frozenset(
        literal for action in domain.actions for literal in action.preconditions if not literal.atom[1:]
    )
    return Problem("x", domain.name, objects, frozenset(facts), goal)


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_shipped_domains(name, package):
    text = (FOLDER / name / "domain.pddl").read_text()
    problem_text = write_problem(a_problem_of(read_domain(text)))
    ours = our_reading(text, problem_text)
    assert package_reading(package, text, problem_text) == ours
    assert from_unified_planning(
        read_with_unified_planning(text, problem_text)
    ) == as_unified_planning_keeps_it(ours)


@examples(100)
@given(tasks(mixed=False))
def test_random_domains_against_the_pddl_package(package, task):
    # Its problem parser refuses '=' in goals, whatever the problem requires.
    goal = frozenset(literal for literal in task[1].goal if literal.atom[0] != EQUAL)
    domain_text, problem_text = write_domain(task[0]), write_problem(replace(task[1], goal=goal))
    assert package_reading(package, domain_text, problem_text) == our_reading(domain_text, problem_text)


@pytest.mark.slow
@settings(examples(25), phases=(Phase.explicit, Phase.generate))
@given(tasks(either=False, mixed=False))
def test_random_domains_against_unified_planning(task):
    domain, problem = with_comparable_equalities(*task)
    # Its reader breaks on a metric where no action costs anything but 1.
    metric = problem.metric and any(action.cost != 1 for action in domain.actions)
    domain_text, problem_text = write_domain(domain), write_problem(replace(problem, metric=metric))
    theirs = from_unified_planning(read_with_unified_planning(domain_text, problem_text))
    assert theirs == as_unified_planning_keeps_it(our_reading(domain_text, problem_text))
