"""Check problems: their plans, proven properties, results of other tools, and that splits are disjoint."""

from __future__ import annotations

import json
import re
from functools import partial

from orrery.checks import FamilyChecks, determined, external_planner, problem_plans, splits, states
from orrery.checks.bounds import by_search, counted_faults, searched_bounds
from orrery.checks.composed_splits import COMPOSED, COMPOSED_SOURCE
from orrery.checks.external_planner import StatedPlan
from orrery.checks.inputs import CheckedProblem, CheckInputs, split_of
from orrery.checks.rechecked_state import RecheckedState, grounded
from orrery.checks.relaxation import faults_of, relaxation
from orrery.checks.sql import drawn, files_of, select
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Note, Verdicts, differing
from orrery.language.names import NEW
from orrery.model import Generated, Problem
from orrery.problems.quotas import LADDER
from orrery.seeds import stream

NOTED = "splits"  # name of the notes
FIRST = "/test/000000"  # the problem of each domain that other tools also solve
DECIDED_LIMIT = 5_000  # limit of states of the plain search; up to this number, a plan is called optimal


def check_problem(checked: CheckedProblem, verdicts: Verdicts) -> None:
    """Check the row of the problem."""
    row, domain, seconds = checked.row, checked.entry.domain, checked.inputs.seconds
    verdicts.notes.append(Note(NOTED, row["id"], str(splits.profile(checked.problem))))
    verdicts.judge("plans", row, lambda: problem_plans.check(domain, checked.problem, row))
    verdicts.judge("origin", row, partial(_origin_faults, checked))
    verdicts.judge("keys", row, partial(key_faults, checked))
    verdicts.judge("grounded", row, partial(_grounded_faults, checked))
    rechecked = RecheckedState(domain, checked.problem, seconds, seconds, most=DECIDED_LIMIT)
    verdicts.judge("plan lengths", row, partial(_horizon_faults, checked, rechecked))
    if row["num_states"] is not None or (row["plan_optimal"] and by_search(row)):
        verdicts.judge("decided", row, lambda: states.check_decided(rechecked, row))
    if row["solvable"] is False or row["id"].endswith(FIRST):
        verdicts.judge("external", row, lambda: external_planner.check(domain, row, seconds))


def _origin_faults(checked: CheckedProblem) -> list[str]:
    """Return a fault if regenerating the row's task from its random stream does not give the row."""
    row, entry = checked.row, checked.entry
    wanted = {"init": checked.task.init, "goal": checked.task.goal, "problem_id": row["id"]}
    faults = differing(wanted, row) + _name_faults(checked)
    rng = stream(checked.inputs.seed, *row["seed_path"].split("/"))
    if checked.task == LADDER:
        band = int(row["difficulty"].removeprefix(f"{LADDER.init}-"))
        drawn = Generated(entry.ladder(band, rng), LADDER)
    elif checked.task in entry.tasks:
        drawn = entry.make(checked.task, row["difficulty"], rng)
    else:  # given as a file
        return faults
    generated = checked.with_names(drawn)
    parameters = {"init": generated.init_parameters, "goal": generated.goal_parameters}
    if json.loads(row["parameters"]) != json.loads(json.dumps(parameters)):
        faults.append("parameters are not those that seed_path leads to")
    if _parts(generated.problem) != _parts(checked.problem):
        faults.append("the problem is not the one that seed_path leads to")
    return faults


def _horizon_faults(checked: CheckedProblem, rechecked: RecheckedState) -> list[str]:
    """Return the bounds on the length of a shortest plan that differ.

    Bounds by search are the length of the plan, which ``check_decided`` decides. No count exceeds them.
    Bounds may be missing if the problem has no closed form and was not grounded.
    """
    row, length = checked.row, checked.row["plan_cost"]
    if length is None:
        return differing({"horizon": None}, row)
    counted = checked.entry.fewest_steps(checked.problem)
    if row["horizon"] is None and counted is None and row["num_facts"] is None:
        return differing({"plan_optimal": False}, row)
    if not by_search(row):
        return counted_faults(row, length, counted, lambda: rechecked.landmark_bound)
    faults = differing({"horizon": searched_bounds(length), "h_star": length}, row)
    return faults + [f"counting gives at least {counted} steps"] * (counted is not None and counted > length)


def key_faults(checked: CheckedProblem) -> list[str]:
    """Return a fault if the stored keys are wrong; domains without texts have keys of goals as written."""
    entry, row, problem = checked.entry, checked.row, checked.problem
    spelled = not entry.description.texts
    return determined.own_keys(entry.domain, problem, row, entry.closure_rule, spelled=spelled)


def _name_faults(checked: CheckedProblem) -> list[str]:
    """Return faults of the columns about objects' names, and new names in the wrong split."""
    row, pools = checked.row, checked.entry.name_pools
    source = pools.source_of([typed.name for typed in checked.problem.objects])
    faults = differing({"names": source}, row)
    if source.endswith(NEW) and split_of(row["id"]) != "test":
        faults.append("objects have names of test splits")
    return faults


def _parts(problem: Problem) -> tuple[object, ...]:
    return problem.objects, problem.init, problem.goal


def _grounded_faults(checked: CheckedProblem) -> list[str]:
    """Return a fault if the numbers of facts and actions differ from those of another grounding method.

    The ground task that other checks search is compared with that grounding, too.
    """
    stated = {name for name in ("num_facts", "num_actions") if checked.row[name] is not None}
    if not stated:
        return []
    relaxed = relaxation(checked.entry.domain, checked.problem)
    true = {"num_facts": len(relaxed.facts), "num_actions": len(relaxed.steps)}
    wrong = differing({name: true[name] for name in stated}, checked.row)
    return [*wrong, *faults_of(grounded(checked.entry.domain, checked.problem), relaxed)]


def check_sample(inputs: CheckInputs) -> Verdicts:
    """Return the results of unified-planning on the plans of some problems, drawn by their ids."""
    statement = f"""
        SELECT domain, domain_pddl, id, problem_pddl, plan, true FROM rows
        WHERE solvable AND {drawn(inputs.share)}
    """
    plans = map(StatedPlan._make, select(statement, {"rows": files_of(inputs.dataset, "problems")}))
    return external_planner.check_plans("external", plans, inputs.seconds)


PROBLEMS_OF_DOMAINS = "SELECT DISTINCT domain, domain_pddl, file_split, seen FROM problems ORDER BY ALL"
COMPOSED_DOMAINS = f"""
    SELECT domain, gold_domain, file_split, seen FROM domain_modeling WHERE source = '{COMPOSED_SOURCE}'
"""


def check_dataset(inputs: CheckInputs, notes: Notes, verdicts: Verdicts) -> None:
    """Check the properties of all rows together."""
    _check_composed(inputs, verdicts)
    _check_splits(inputs, notes, verdicts)


def _check_composed(inputs: CheckInputs, verdicts: Verdicts) -> None:
    """Check that domain, split and ``seen`` of a composed domain are those of its row in domain_modeling."""
    columns = ("domain_pddl", "split", "seen")
    files = files_of(inputs.dataset, "domain_modeling")
    composed = select(COMPOSED_DOMAINS, {"domain_modeling": files}) if files else []
    expected = {domain: dict(zip(columns, values, strict=True)) for domain, *values in composed}
    files = files_of(inputs.dataset, "problems")
    for domain, *values in select(PROBLEMS_OF_DOMAINS, {"problems": files}) if files else []:
        row = dict(zip(columns, values, strict=True))
        faults = differing(expected.get(domain, {"seen": ""}), row)
        if domain not in expected and re.fullmatch(rf"{COMPOSED}-\d+", domain):
            faults.append("the composed domain has no row in domain_modeling")
        verdicts.enter("composed", domain, domain, faults)


def _check_splits(inputs: CheckInputs, notes: Notes, verdicts: Verdicts) -> None:
    """Check that no problem is in two splits, up to a renaming of its objects."""
    leaks = splits.faults(inputs.root, notes, (NOTED,), files_of(inputs.dataset, "problems"))
    total = sum(1 for _ in notes.named(NOTED))
    verdicts.enter("splits", "", f"{total} problems", leaks)


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "plans": (
            "domain", "task", "domain_pddl", "problem_pddl", "solvable", "plan", "plan_cost", "h_star",
            "num_objects", "init_num_propositions", "goal_num_propositions",
        ),
        "decided": ("plan_optimal", "num_states"),
        "plan lengths": ("horizon",),
        "origin": ("problem_id", "init", "goal", "difficulty", "parameters", "seed_path", "names"),
        "composed": ("seen",),
        "grounded": ("num_facts", "num_actions"),
        "keys": ("strict_key", "loose_key"),
    },
    problem=check_problem,
    rows=check_sample,
    dataset=check_dataset,
    unique={"problems": ("strict_key",)},
)  # fmt: skip
