"""Our reading of a text equals that of the pddl package."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from orrery.model import EQUAL, Problem, TypedName
from orrery.pddl.interchange import PackageReader
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from tests.effort import examples
from tests.pddl.random_pddl import tasks
from tests.pddl.translation import from_package, reading

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


@pytest.mark.parametrize("name", DOMAINS)
def test_shipped_domains(name, package):
    text = (FOLDER / name / "domain.pddl").read_text()
    problem_text = write_problem(a_problem_of(read_domain(text)))
    assert package_reading(package, text, problem_text) == our_reading(text, problem_text)


@examples(100)
@given(tasks(mixed=False))
def test_random_domains_against_the_pddl_package(package, task):
    # Its problem parser refuses '=' in goals, whatever the problem requires.
    goal = frozenset(literal for literal in task[1].goal if literal.atom[0] != EQUAL)
    domain_text, problem_text = write_domain(task[0]), write_problem(replace(task[1], goal=goal))
    assert package_reading(package, domain_text, problem_text) == our_reading(domain_text, problem_text)
