"""The checks of the tasks, a module each, found by looking in this folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from orrery.checks.plans.task_check import TaskCheck
from orrery.model import OrreryError


@cache
def task_checks() -> Mapping[str, TaskCheck]:
    """Find the checks of all tasks by name, sorted."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return MappingProxyType({name: importlib.import_module(f"{__name__}.{name}").CHECK for name in names})


def check_of(task: str) -> TaskCheck:
    """Find the check of a task.

    Raises:
        OrreryError: there is none.
    """
    try:
        return task_checks()[task]
    except KeyError:
        raise OrreryError(f"task '{task}'", "has no check", f"write checks/plans/tasks/{task}.py") from None
