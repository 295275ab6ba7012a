"""Tasks about plans: the record of one, and the reply that gives a stored plan."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from orrery.families import Row
from orrery.families.drafts import Drafts
from orrery.families.plans.source import Source
from orrery.families.task import Task
from orrery.store.kinds import Field


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
        subject: what it asks for.
        draw: yields drafts of rows on a state.
        columns: the columns that only this task has.
        gold: writes the reply to a row that must score 1.0, from ``gold_columns``.
        gold_columns: the columns that the reply is written from.
        options: further attributes of ``Task``.
    """
    return Task(
        name, subject, f"plan_{name}", draw, lambda row: [gold(row)], gold_columns, columns, **options
    )
