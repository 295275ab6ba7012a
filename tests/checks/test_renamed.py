"""Rows in another vocabulary: what was renamed faithfully passes, every other change is seen."""

import pytest

from orrery.checks.renamed import check
from orrery.language.renamed_domain import vocabulary_of
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from tests.every_domain import CATALOG, ROOT, entry


def renamed(row, name="misleading"):
    """The row of a problem in another vocabulary."""
    domain = entry(row["domain"]).domain
    vocabulary = vocabulary_of(domain, name, ROOT / "templates", 7)
    problem = read_problem(row["problem_pddl"], domain)
    view = vocabulary.of(problem)
    return {
        **row,
        "domain_pddl": write_domain(vocabulary.domain),
        "problem_pddl": write_problem(view.problem(problem)),
        "plan": view.plan(row["plan"]),
    }


def faults(row, origin):
    domain = entry(origin["domain"]).domain
    return check(domain, read_problem(origin["problem_pddl"], domain), row, origin)


@pytest.fixture(scope="module")
def pair_rows(rows):
    """Two problems of each domain with plans of several steps."""
    return [
        row
        for name in CATALOG.names
        for row in [r for r in rows["problems"] if r["domain"] == name and len(r["plan"]) > 2][:2]
    ]


@pytest.mark.parametrize("name", ["meaningless", "misleading"])
def test_faithful_renamings_pass(pair_rows, name):
    for origin in pair_rows:
        assert faults(renamed(origin, name), origin) == []


def test_a_row_that_keeps_its_names_is_seen(pair_rows):
    for origin in pair_rows:
        assert any("keeps the names" in fault for fault in faults(origin, origin))


def test_the_alternatives_of_a_type_have_no_order():
    def row(id, car, truck):
        domain = f"""(define (domain d) (:requirements :strips :typing) (:types {car} {truck} road)
            (:predicates ({car}-done ?v - (either {car} {truck})))
            (:action {car}-go :parameters (?v - (either {car} {truck}) ?r - road)
                :precondition (and) :effect (and ({car}-done ?v))))"""
        problem = f"""(define (problem p) (:domain d) (:objects a - {car} b - {truck} r - road)
            (:init) (:goal (and ({car}-done b))))"""
        return {"id": id, "domain_pddl": domain, "problem_pddl": problem, "plan": [f"({car}-go b r)"]}

    origin, changed = row("one", "car", "truck"), row("two", "zebra", "ape")
    domain = read_domain(origin["domain_pddl"])
    assert check(domain, read_problem(origin["problem_pddl"], domain), changed, origin) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda row: {"plan": row["plan"][1:]},
        lambda row: {"plan": [row["plan"][0], *row["plan"][:-1]]},
        lambda row: {"plan": [*row["plan"][:-1], row["plan"][-1].replace(")", " o1)")]},
        lambda row: {"plan": ["(fly o1)", *row["plan"][1:]]},
        lambda row: {"problem_pddl": row["problem_pddl"].replace(") (", ") (not-there) (", 1)},
        lambda row: {"problem_pddl": without_a_fact(row["problem_pddl"], ":init")},
        lambda row: {"problem_pddl": without_a_fact(row["problem_pddl"], ":goal (and")},
        lambda row: {"problem_pddl": "(define"},
        lambda row: {"domain_pddl": row["domain_pddl"].replace("(not (", "((", 1)},
        lambda row: {"domain_pddl": without_an_effect(row["domain_pddl"])},
    ],
)
def test_any_other_change_is_seen(pair_rows, change):
    for origin in pair_rows:
        row = renamed(origin)
        changed = {**row, **change(row)}
        if changed != row:
            assert faults(changed, origin), origin["id"]


def without_a_fact(text, section):
    """The problem without the first fact of a section."""
    start = text.index(section) + len(section)
    end = text.index(")", start) + 1
    return text[:start] + text[end:]


def without_an_effect(text):
    """The domain without the first effect of its first action."""
    start = text.index(":effect (and ") + len(":effect (and ")
    return text[:start] + text[text.index(")", start) + 1 :]
