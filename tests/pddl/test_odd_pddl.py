"""PDDL as others write it: each sort with its verdict, and what the refusal has to name.

``pddl_cases/expected.txt`` lists the sorts: read or refused, and why.
"""

from orrery.model import OrreryError
from orrery.pddl.read import (
    read_domain_file,
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
