"""The tasks of the family: a module each, found by looking in this folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from orrery.families.plans.task import PlanTask


@cache
def plan_tasks() -> Mapping[str, PlanTask]:
    """Find the tasks, by name, sorted."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return MappingProxyType({name: importlib.import_module(f"{__name__}.{name}").TASK for name in names})
