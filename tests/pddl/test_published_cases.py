"""Published problems read, round-trip and ground; benchmarks/solving.py says how long that takes."""

import json

import pytest

from orrery.model import literals
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.planning.grounding import ground
from orrery.planning.task import applicable
from tests.universe import applicable_steps


@pytest.fixture(scope="module")
def texts(cases):
    """Domain and problem texts, each pair once."""
    rows = [json.loads(line) for line in (cases / "acpbench_hard_dev.jsonl").read_text().splitlines()]
    return sorted({(row["PDDL_domain"], row["PDDL_problem"]) for row in rows})


@pytest.mark.slow
def test_they_read_and_round_trip(texts):
    assert len(texts) > 50
    for domain_text, problem_text in texts:
        domain = read_domain(domain_text)
        problem = read_problem(problem_text, domain)
        assert read_domain(write_domain(domain)) == domain
        assert read_problem(write_problem(problem), domain) == problem
        assert problem.goal >= literals(problem.goal_facts)


def test_they_ground_to_what_can_be_applied(texts):
    for domain_text, problem_text in texts[::8]:
        domain = read_domain(domain_text)
        problem = read_problem(problem_text, domain)
        task = ground(domain, problem)
        assert task.state(task.init) == problem.init
        steps = [action.step for action in applicable(task, task.init)]
        assert steps == applicable_steps(domain, problem, problem.init)
