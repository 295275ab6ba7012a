"""PDDL as others write it: each sort with its verdict, and what the refusal has to name.

``pddl_cases/expected.txt`` lists the sorts: read or refused, and why.
"""

import pytest

from orrery.model import OrreryError
from orrery.pddl.read import (
    OutsideSubset,
    PddlError,
    read_domain,
    read_domain_file,
    read_problem,
    read_problem_file,
)

# What the message of a refusal names, for sorts whose cause is easily mistaken for another.
NAMED = {
    "03-glued-type-dash": "write '- ball'",
    "06-either-object": "either",
    "41-two-formulas-no-and": "join them by 'and'",
    "42-plural-preconditions": "write :precondition",
    "63-durative-action-twice": "durative-action",
    "64-derived": "derived",
    "78-timed-initial-literal": "timed initial literal",
    "82-and-in-init": "remove 'and'",
    "87-goal-two-formulas": "join them by 'and'",
    "88-goal-empty": "no formula",
    "89-goal-empty-brackets": "no formula",
    "91-goal-missing": "has no goal",
}
DOMAIN = "(define (domain d) (:types t u) (:predicates (p) (q ?x - t)) (:functions (total-cost)) {})"
PROBLEM = "(define (problem x) (:domain d) (:objects o - t) {})"
# What is outside of the subset or no PDDL, what the message names, and why that is the cause.
DOMAINS = [
    ("(:derived (p) (q ?x)) (:derived (p) (p))", OutsideSubset, ":derived", "two rules are legal elsewhere"),
    ("(:durative-action a) (:durative-action a)", OutsideSubset, ":durative-action", "before 'twice'"),
    ("(:action a :effect (and (increase (total-cost) 1) (increase (total-cost) 1)))",
     PddlError, "one cost", "a sum of costs is no fault of names"),
]  # fmt: skip
PROBLEMS = [
    ("(:init) (:goal ())", PddlError, "no formula", "it does not mean true"),
    ("(:init) (:goal)", PddlError, "no formula", "it does not mean true"),
    ("(:init)", PddlError, "has no goal", "the section is missing"),
    ("(:init) (:goal (p) (q o))", PddlError, "join them by 'and'", "the 'and' is missing"),
    ("(:init (at 5 (p))) (:goal (p))", OutsideSubset, "timed initial literal", "it is no fact of 'at'"),
]


def verdict(folder, name):
    try:
        domain = read_domain_file(folder / f"{name}.domain.pddl")
        read_problem_file(folder / f"{name}.problem.pddl", domain)
    except OrreryError as error:
        return "refuse", str(error)
    return "read", ""


def test_every_sort_is_read_or_refused_as_listed(cases):
    folder = cases / "pddl_cases"
    listed = [line.split("\t") for line in (folder / "expected.txt").read_text().splitlines()]
    assert len(listed) > 80
    verdicts = {name: verdict(folder, name) for name, _, _ in listed}
    assert [(name, why) for name, wanted, why in listed if verdicts[name][0] != wanted] == []
    assert {name: verdicts[name][1] for name, words in NAMED.items() if words not in verdicts[name][1]} == {}


@pytest.mark.parametrize(("piece", "error", "named", "why"), DOMAINS)
def test_a_refused_domain_names_the_cause(piece, error, named, why):
    with pytest.raises(error, match=named):
        read_domain(DOMAIN.format(piece))


@pytest.mark.parametrize(("piece", "error", "named", "why"), PROBLEMS)
def test_a_refused_problem_names_the_cause(piece, error, named, why):
    domain = read_domain(DOMAIN.format(""))
    with pytest.raises(error, match=named):
        read_problem(PROBLEM.format(piece), domain)
