"""Check the plan tables: every row from its own PDDL, and properties of many rows together."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from orrery.checks import FamilyChecks, external_planner, splits
from orrery.checks.external_planner import StatedPlan
from orrery.checks.inputs import MOST_SECONDS, CheckedProblem, CheckInputs
from orrery.checks.plans import columns, words
from orrery.checks.plans.plan_row import PlanRow, anonymous, check_reply
from orrery.checks.plans.tasks import task_checks
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.sql import drawn, files_of, select
from orrery.checks.task_check import TaskCheck
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Note, Verdicts
from orrery.families import families
from orrery.model import Problem
from orrery.pddl.write import write_problem

SHARES, SPLITS, PROBLEM_SPLITS = "plan shares", "plan splits", "splits"  # names of notes
SHARE = 0.02  # share of rows whose plans unified-planning validates
MOST = 1  # maximum number of these rows, per table and domain


def check_problem(checked: CheckedProblem, verdicts: Verdicts) -> None:
    """Check all rows of a problem; they share the searches."""
    rows = checked.published("plans")
    if not rows:
        return
    states = {(row["source"], row["step"]): row for row in checked.rows.get("solved_states", ())}
    seconds = min(checked.inputs.seconds, MOST_SECONDS)
    state_of = cache(lambda problem: RecheckedState(checked.entry.domain, problem, seconds, seconds))
    plan_rows = [
        PlanRow(checked, row, states.get((row["state_source"], row["state_step"])), state_of) for row in rows
    ]
    noted = set[Problem]()
    for plan_row in plan_rows:
        for name, check in CHECKS_OF_ROWS:
            verdicts.judge(name, plan_row.row, partial(check, plan_row))
        verdicts.judge("plan notes", plan_row.row, partial(_noted, plan_row, verdicts, noted))
    by_task: dict[str, list[PlanRow]] = defaultdict(list)
    for plan_row in plan_rows:
        by_task[plan_row.task].append(plan_row)
    checks = task_checks().by_name
    for task, rows_of_task in by_task.items():
        if task in checks and (group := checks[task].group):
            verdicts.judge("plan groups", checked.row, partial(group, rows_of_task))


def _check(plan_row: PlanRow) -> TaskCheck[PlanRow]:
    return task_checks().of(plan_row.task)


CHECKS_OF_ROWS: tuple[tuple[str, Callable[[PlanRow], list[str]]], ...] = (
    ("plan columns", columns.check),
    ("plan columns", columns.check_problem),
    ("plan origin", columns.check_origin),
    ("plan words", words.check_context),
    ("plan words", lambda view: words.check_question(view, _check(view).content(view))),
    ("plan lengths", columns.check_h_star),
    ("plan lengths", columns.check_horizon),
    ("plan tasks", lambda view: _check(view).faults(view)),
    ("plan replies", lambda view: check_reply(view, _check(view).reply(view.row))),
)


def _noted(plan_row: PlanRow, verdicts: Verdicts, noted: set[Problem]) -> list[str]:
    """Record the values of a row that are compared after all rows; problems in ``noted`` have notes."""
    row_id, note = plan_row.row["id"], _check(plan_row).note
    if note:
        verdicts.notes.append(Note(SHARES, row_id, plan_row.task, json.dumps(note(plan_row.row))))
    for problem in set(map(anonymous, _problems(plan_row))) - noted:
        profile = splits.profile(problem)
        verdicts.notes.append(Note(SPLITS, row_id, str(profile), write_problem(problem)))
        noted.add(problem)
    return []


def _problems(plan_row: PlanRow) -> list[Problem]:
    """Return the problems of a row under plain names; the objects of examples keep their names."""
    shown = [plan_row.plain_shown_problem] if "given_problem_pddl" in plan_row.row else []
    return [plan_row.plain_problem, *plan_row.plain_examples, *shown]


def check_sample(inputs: CheckInputs) -> Verdicts:
    """Return the results of unified-planning on the plans of some rows of each domain."""
    return external_planner.check_plans("plan validator", _sample(inputs), inputs.seconds)


def _sample(inputs: CheckInputs) -> Iterator[StatedPlan]:
    """Yield rows drawn by their ids, at most ``MOST`` per table and domain."""
    for table, steps in _columns_of_steps().items():
        valid = "valid" if steps == "given_actions" else "true"
        statement = f"""
            SELECT domain, domain_pddl, id, problem_pddl, {steps}, {valid} FROM rows
            WHERE len({steps}) > 0 AND {drawn(SHARE)}
            QUALIFY row_number() OVER (PARTITION BY domain ORDER BY md5(id)) <= {MOST}
        """
        if paths := files_of(inputs.dataset, table):
            yield from map(StatedPlan._make, select(statement, {"rows": paths}))


def _columns_of_steps() -> dict[str, str]:
    """Return, by table, the column with the plan of a row: its own plan, or the plan that it judges."""
    columns_by_table = {}
    for table in families()["plans"].tables:
        if "plan" in table.schema.names:
            columns_by_table[table.name] = "plan"
        elif {"given_actions", "valid"} <= set(table.schema.names):
            columns_by_table[table.name] = "given_actions"
    return columns_by_table


def check_dataset(inputs: CheckInputs, notes: Notes, verdicts: Verdicts) -> None:
    """Check the properties of all rows together."""
    by_task: dict[str, list[Any]] = defaultdict(list)
    for note in notes.named(SHARES):
        by_task[note.key].append(json.loads(note.text))
    for name, check in task_checks().by_name.items():
        if check.across:
            faults = check.across(by_task[name]) if by_task[name] else []
            verdicts.enter("plan shares", "", f"plan_{name}", faults)
    problems = files_of(inputs.dataset, "problems")
    leaks = splits.faults(inputs.root, notes, (SPLITS, PROBLEM_SPLITS), problems)
    verdicts.enter("plan splits", "", "all plan tables", leaks)


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "plan columns": (
            "group", "task", "domain", "problem_id", "vocabulary", "context_pddl", "context_both",
            "domain_pddl", "problem_pddl", "nl_templates", "difficulty", "names", "seed_path", "num_objects",
            "seen", "num_facts", "num_actions", "num_states", "num_applicable_actions",
        ),
        "plan origin": ("state_source", "state_step"),
        "plan words": ("context", "style", "unseen_templates", "question", "question_pddl"),
        "plan lengths": ("h_star", "horizon"),
        **{f"plan tasks: {name}": check.columns for name, check in task_checks().by_name.items()},
    },
    problem=check_problem,
    dataset=check_dataset,
    rows=check_sample,
)  # fmt: skip
