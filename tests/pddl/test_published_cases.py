"""Published problems read, round-trip and ground; how long that takes is reported, not asserted."""

import json
import time
from statistics import median

import pytest

from orrery.model import literals
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.semantics.execution import applicable_steps
from orrery.semantics.grounding import ground
from orrery.semantics.progression import applicable


@pytest.fixture(scope="module")
def texts(cases):
    """Domain and problem texts, each pair once."""
    rows = [json.loads(line) for line in (cases / "acpbench_hard_dev.jsonl").read_text().splitlines()]
    return sorted({(row["PDDL_domain"], row["PDDL_problem"]) for row in rows})


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


def test_how_long_they_take(texts, record_property, capsys):
    reading, grounding = [], []
    for domain_text, problem_text in texts:
        began = time.perf_counter()
        domain = read_domain(domain_text)
        problem = read_problem(problem_text, domain)
        read = time.perf_counter()
        ground(domain, problem)
        reading.append(1000 * (read - began))
        grounding.append(1000 * (time.perf_counter() - read))
    report = (
        f"median {median(reading):.2f} ms to read, {median(grounding):.2f} ms to ground ({len(texts)} texts)"
    )
    record_property("published problems", report)
    with capsys.disabled():
        print(f"\n{report}")
