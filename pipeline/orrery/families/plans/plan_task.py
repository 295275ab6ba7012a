"""Tasks about plans: the common columns of their tables, and the record of a task.

Every row is self-contained. A plan is validated on ``domain_pddl`` and ``problem_pddl``, in the names of the
row's vocabulary. ``nl_templates`` are all words that a reply may use for these names.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from orrery.families import Row
from orrery.families.drafts import Drafts
from orrery.families.plans.source import Source
from orrery.families.task import Task
from orrery.problems.schemas import shared
from orrery.store.kinds import INT, STRING, STRINGS, Field, column

COMMON = (
    column("id", STRING, "Name of the row: problem, state, task and what is particular to it"),
    column("group", STRING, "The name of the table, by which replies are graded"),
    column("task", STRING, "What is asked: `generation`, `optimal`, `verification` and so on"),
    *shared("domain", "problem_id"),
    column("vocabulary", STRING, "`plain`, or the obfuscated names that the row uses"),
    column("context", STRING, "The world, its rules and the goal in words"),
    column("question", STRING, "What is asked, in words"),
    *shared("context_pddl", "question_pddl", "style", "unseen_templates", "context_both", "domain_pddl"),
    column(
        "problem_pddl",
        STRING,
        "The problem that a plan is judged by, in PDDL: where the plan starts and what is wanted in the end",
    ),
    column(
        "nl_templates", STRING, "JSON: all wordings of actions and facts by name, with {0}, {1} for arguments"
    ),
    *shared("state_source"),
    column("state_step", INT, "Number of steps from the initial state of the problem"),
    *shared("difficulty", "names", "num_objects", "num_facts", "num_actions", "num_states"),
    column("num_applicable_actions", INT, "Number of applicable actions where a plan starts"),
    column(
        "h_star", INT, "Fewest actions to the goal of problem_pddl; null where undecided or out of reach",
        nullable=True,
    ),
    *shared("seed_path"),
)  # fmt: skip

PLAN = column("plan", STRINGS, "A validated plan for problem_pddl, one `(action object ...)` a step")
LENGTH = column("plan_length", INT, "Number of actions in the plan")
SHOWN_STEPS = column("given_actions", STRINGS, "The actions that the question shows")
SHOWN_PROBLEM = column("given_problem_pddl", STRING, "The problem that the shown plan solves, in PDDL")


def plan_reply(row: Row) -> str:
    """Return the reply that gives the stored plan."""
    return "\n".join(["[PLAN]", *row["plan"], "[PLAN END]"])


def plan_task(
    *, name: str, subject: str, draw: Callable[[Source, random.Random], Drafts], columns: tuple[Field, ...],
    gold: Callable[[Row], str] = plan_reply, gold_columns: tuple[str, ...] = ("plan",), **options: Any,
) -> Task:  # fmt: skip
    """Return the task of the table ``plan_<name>``; ``options`` are further attributes of the task.

    Args:
        name: the name of the task.
        subject: what the task asks for.
        draw: yields drafts of rows on a state.
        columns: the columns of this task only.
        gold: writes the reply that must score 1.0, from ``gold_columns``.
        gold_columns: the columns for the gold reply.
        options: further attributes of ``Task``.
    """
    return Task(
        name, subject, f"plan_{name}", draw, lambda row: [gold(row)], gold_columns, columns, **options
    )
