"""Rows that the tasks make of small problems, and what the checks say of them."""

from __future__ import annotations

import json
from functools import cache

from orrery.checks.inputs import CheckedProblem, CheckInputs
from orrery.checks.plans import check_problem
from orrery.checks.verdicts import Verdicts
from orrery.pddl.write import write_atom
from tests.every_domain import CATALOG, ROOT, entry
from tests.families.plans.made import SEED, rows, sources

INPUTS = CheckInputs(ROOT, ROOT, ("blocksworld",), SEED, 5.0)


@cache
def origin(name, problem_id):
    """The source of a problem, with the columns of its row among the problems that rows share."""
    source = next(each for each in sources(name) if each.record.problem_id == problem_id)
    parameters = {"init": {}, "goal": json.loads(source.row["goal_parameters"])}
    row = {
        "id": problem_id,
        "domain": name,
        "difficulty": source.record.difficulty,
        "names": source.record.names,
        "seen": source.record.seen,
        "seed_path": source.record.seed_path,
        "num_objects": len(source.problem.objects),
        "plan": [write_atom(step) for step in source.plan],
        "parameters": json.dumps(parameters),
        "goal": source.row["goal_configuration"],
    }
    return source, row


def verdicts(name, task, listed, problem=None):
    """What the checks say of rows of a task that belong to one problem of a domain."""
    source, row = origin(name, problem or listed[0]["problem_id"])
    by_table = {f"plan_{task}": listed}
    found = Verdicts()
    checked = CheckedProblem(INPUTS, entry(name), None, row, source.problem, by_table, False)
    check_problem(checked, found)
    return found


def faults(name, task, listed, problem=None):
    """The faults found in rows of a task that belong to one problem."""
    return [fault for finding in verdicts(name, task, listed, problem).findings for fault in finding.faults]


@cache
def made(name, task):
    """The rows of a task on a domain, a list for each problem."""
    by_problem = {}
    for _, row in rows(name, task):
        by_problem.setdefault(row["problem_id"], []).append(row)
    return tuple(by_problem.values())


def some(task, *names, vocabularies=("plain",)):
    """A domain and the rows of a task on one of its problems: of the first that has these vocabularies."""
    return next(
        (name, listed)
        for name in (*names, *CATALOG.names)
        for listed in made(name, task)
        if {row["vocabulary"] for row in listed} >= {*vocabularies}
    )


def changed(listed, place, **columns):
    """The rows with some columns of one of them changed."""
    return [*listed[:place], {**listed[place], **columns}, *listed[place + 1 :]]
