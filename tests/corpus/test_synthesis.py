"""Edits of domains: each changes what it says and nothing else, and what it makes can be read and solved."""

import random

import pytest

from orrery.corpus.deciding import decide
from orrery.corpus.synthesis import add, compose, drop, rename, synthesise
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from tests.every_domain import ROOT, easy_problems

NAMES = ("blocksworld", "ferry", "rover-single")


@pytest.fixture(scope="module")
def tasks():
    tasks_by_name = {}
    for name in NAMES:
        domain = read_domain((ROOT / "domains" / name / "domain.pddl").read_text())
        tasks_by_name[name] = (domain, easy_problems(name, 2))
    return tasks_by_name


def size(domain):
    """Literals of all actions."""
    return sum(len(a.preconditions) + len(a.add) + len(a.delete) for a in domain.actions)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("edit", "difference"), [(drop, -1), (add, 1)])
def test_one_literal_changes(tasks, name, edit, difference):
    old, problems = tasks[name]
    for seed in range(25):
        synthesised = edit((old, problems), random.Random(seed))
        assert size(synthesised.domain) - size(old) == difference
        changed = [a for a, b in zip(old.actions, synthesised.domain.actions, strict=True) if a != b]
        assert [a.name for a in changed] == [synthesised.what.partition(":")[0]]
        assert read_domain(write_domain(synthesised.domain)) == synthesised.domain


@pytest.mark.parametrize("name", NAMES)
def test_renamed_problems_have_plans_of_the_same_length(tasks, name):
    old, problems = tasks[name]
    synthesised = rename((old, problems), random.Random(3))
    names = {p.name for p in old.predicates} | {a.name for a in old.actions} | {t.name for t in old.types}
    assert names.isdisjoint(
        symbol.name for symbol in (*synthesised.domain.predicates, *synthesised.domain.actions)
    )
    before, after = (
        decide(write_domain(domain), [(p.name, write_problem(p)) for p in several]).rows
        for domain, several in ((old, problems), (synthesised.domain, synthesised.problems))
    )
    assert [len(row["plan"]) for row in before] == [len(row["plan"]) for row in after]
    assert all(row["solvable"] for row in after)


def test_composed_domains_ask_for_both_plans(tasks):
    synthesised = compose(tasks["blocksworld"], tasks["ferry"])
    assert read_domain(write_domain(synthesised.domain)) == synthesised.domain
    problem = synthesised.problems[0]
    assert read_problem(write_problem(problem), synthesised.domain) == problem
    lengths = [
        len(decide(write_domain(d), [("p", write_problem(ps[0]))]).rows[0]["plan"])
        for d, ps in (tasks["blocksworld"], tasks["ferry"])
    ]
    (row,) = decide(write_domain(synthesised.domain), [("p", write_problem(problem))]).rows
    assert row["solvable"]
    if row["optimal_cost"] is not None:
        assert row["optimal_cost"] == sum(lengths)


def test_the_draw_depends_on_its_stream_alone(tasks):
    synthesised = [synthesise(tasks, random.Random(seed)) for seed in range(12)]
    assert synthesised == [synthesise(tasks, random.Random(seed)) for seed in range(12)]
    assert {synthesis.edit for synthesis in synthesised if synthesis} == {"drop", "add", "rename", "compose"}
