"""The kinds of question: one module each, found by listing this folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from orrery.families.task import Task, tasks_in


@cache
def question_kinds() -> Mapping[str, Task]:
    """Return the kinds of question by name, sorted."""
    return tasks_in(__name__, __path__)
