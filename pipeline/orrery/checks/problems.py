"""Problems: their plans, what is proven of them, what other tools say, and that each stands in one split."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from orrery.catalog import entry_of
from orrery.checks import FamilyChecks, external_planner, plans, splits, states
from orrery.checks.inputs import CheckedProblem, CheckInputs, split_of
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.verdicts import Verdicts
from orrery.engine import map_items
from orrery.pddl.read import read_problem

FIRST = "/test/000000"  # in every domain, other tools also solve this one
DECIDED_LIMIT = 5_000  # states of a problem seen plainly: as many as when a plan is first called optimal


def check_problem(checked: CheckedProblem, found: Verdicts) -> None:
    """Check the row of the problem itself."""
    row, domain, seconds = checked.row, checked.entry.domain, checked.inputs.seconds
    found.notes["splits"].append((row["id"], checked.number, splits.profile(domain, checked.problem)))
    found.judge("plans", row, lambda: plans.check(domain, checked.problem, row))
    if row["plan_optimal"] or row["num_states"] is not None:
        rechecked = RecheckedState(domain, checked.problem, seconds, seconds, most=DECIDED_LIMIT)
        found.judge("decided", row, lambda: states.check_decided(rechecked, row))
    if row["solvable"] is False or row["id"].endswith(FIRST):
        found.judge("external", row, lambda: external_planner.check(domain, row, seconds))


def check_sample(inputs: CheckInputs, rows: list[Mapping[str, Any]], found: Verdicts) -> None:
    """Have another tool validate the plans of some problems."""
    solved = [row for row in rows if row["solvable"]]
    for row, messages in zip(solved, external_planner.check_plans(solved, inputs.seconds), strict=True):
        found.enter("external", row["domain"], row["id"], messages)


def check_splits(inputs: CheckInputs, found: Verdicts, jobs: int) -> None:
    """Check that no problem of one split stands in another, whatever its objects are called."""
    noted = found.notes["splits"]
    profiles = [((name.split("/")[0], profile), split_of(name)) for name, _, profile in noted]
    suspected = [[noted[place][1] for place in places] for places in splits.suspects(profiles)]
    leaks = map_items(suspected, partial(_leaking, inputs), jobs=jobs, label="validate: splits")
    messages = [f"{name} {fault}" for some in leaks for name, fault in some]
    found.enter("splits", "", f"{len(profiles)} problems", messages)


def _leaking(inputs: CheckInputs, numbers: list[int]) -> list[tuple[str, str]]:
    """Return (problem, fault) for the sampled problems of a domain that stand in two splits."""
    rows = inputs.problems.rows(numbers).to_pylist()
    read = ((row["id"], entry_of(inputs.root, row["domain"]).domain, row["problem_pddl"]) for row in rows)
    return splits.leaks(
        [(name, split_of(name), read_problem(text, domain, name)) for name, domain, text in read]
    )


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "plans": (
            "domain", "task", "domain_pddl", "problem_pddl", "solvable", "plan", "plan_cost", "num_objects",
            "init_num_propositions", "goal_num_propositions",
        ),
        "decided": ("plan_optimal", "num_states"),
        "counts": ("strict_key", "loose_key"),
    },
    problem=check_problem,
    sample=check_sample,
    dataset=check_splits,
    unique={"problems": ("strict_key",)},
)  # fmt: skip
