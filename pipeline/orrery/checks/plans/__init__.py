"""Checks of the plan tables: every row again from its own PDDL, and what only many rows together show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, partial

from orrery.checks import FamilyChecks
from orrery.checks.inputs import MOST_SECONDS, CheckedProblem, CheckInputs
from orrery.checks.plans import (
    apart,
    columns,
    context_words,
    question_frames,
    question_read_back,
    replies,
    validator,
)
from orrery.checks.plans.asked import INITIAL, Asked, Row
from orrery.checks.plans.searched import Searched
from orrery.checks.plans.tasks import task_checks
from orrery.checks.task_check import TaskCheck
from orrery.checks.verdicts import Verdicts
from orrery.model import State
from orrery.pddl.write import parse_atom

NOTED = "plan rows: {}"


def check_problem(checked: CheckedProblem, found: Verdicts) -> None:
    """Check all rows of a problem, which share what is searched."""
    rows = checked.published("plans")
    if not rows:
        return
    states = {(row["source"], row["step"]): row for row in checked.rows.get("states", ())}
    searched = Searched(checked.entry.domain, min(checked.inputs.seconds, MOST_SECONDS), checked.searches)
    every = [Asked(checked, row, _start(checked, row, states), searched) for row in _in_order(rows)]
    for asked in every:
        _check_row(asked, states.get((asked.row["state_source"], asked.row["state_step"])), found)
    by_task: dict[str, list[Asked]] = defaultdict(list)
    for asked in every:
        by_task[asked.task].append(asked)
    checks = task_checks().by_name
    for task, rows_of_task in by_task.items():
        if task in checks and (group := checks[task].group):
            found.judge("plan groups", checked.row, partial(group, rows_of_task))


def _in_order(rows: Sequence[Row]) -> list[Row]:
    """Return the rows in an order in which those that share a space of states follow each other."""
    return sorted(rows, key=lambda row: (row["state_source"], row["state_step"], row["task"], row["id"]))


def _start(checked: CheckedProblem, row: Row, states: Mapping[tuple[str, int], Row]) -> State | None:
    """Return the facts of the state that a row names; None where there is none."""
    state = states.get((row["state_source"], row["state_step"]))
    if state is not None:
        return frozenset(map(parse_atom, state["state"]))
    initial = row["state_source"] == INITIAL and row["state_step"] == 0
    return checked.problem.init if initial else None


def _check_row(asked: Asked, state: Row | None, found: Verdicts) -> None:
    row = asked.row

    @cache
    def task() -> TaskCheck[Asked]:
        return task_checks().of(row["task"])

    found.judge("plan columns", row, lambda: columns.check(asked))
    found.judge("plan columns", row, lambda: columns.check_problem(asked, asked.checked.row))
    found.judge("plan origin", row, lambda: columns.check_origin(asked))
    found.judge("plan words", row, lambda: context_words.check(asked))
    found.judge("plan words", row, lambda: question_read_back.check(asked, task().content(asked)))
    found.judge("plan words", row, lambda: question_frames.check(asked, task().content(asked)))
    found.judge("plan lengths", row, lambda: columns.check_h_star(asked, state))
    found.judge("plan tasks", row, lambda: task().faults(asked))
    found.judge("plan replies", row, lambda: replies.check(asked, task().reply(row)))
    found.judge("plan notes", row, lambda: _noted(asked, found))


def _noted(asked: Asked, found: Verdicts) -> list[str]:
    """Keep of a row what is compared when all were checked."""
    note = task_checks().of(asked.task).note
    if note:
        found.notes[NOTED.format(asked.task)].append(note(asked.row))
    found.notes[apart.NOTED] += apart.profiles(asked)
    return []


def check_dataset(inputs: CheckInputs, found: Verdicts, jobs: int) -> None:
    """Check what only all rows together show."""
    for name, check in task_checks().by_name.items():
        if check.across:
            noted = list(found.noted(NOTED.format(name)))
            found.enter("plan shares", "", f"plan_{name}", check.across(noted) if noted else [])
    faults = apart.check(inputs, partial(found.noted, apart.NOTED), partial(found.noted, "splits"), jobs)
    found.enter("plan splits", "", "all plan tables", faults)


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "plan columns": (
            "group", "task", "domain", "problem_id", "vocabulary", "context_pddl", "context_both",
            "domain_pddl", "problem_pddl", "phrases", "difficulty", "names", "seed_path", "num_objects",
            "num_facts", "num_actions", "num_states", "branching",
        ),
        "plan origin": ("state_source", "state_step"),
        "plan words": ("context", "style", "held_out_language", "question", "question_pddl"),
        "plan lengths": ("h_star",),
        **{f"plan tasks: {name}": each.columns for name, each in task_checks().by_name.items()},
    },
    problem=check_problem,
    dataset=check_dataset,
    drawn=validator.check,
)  # fmt: skip
