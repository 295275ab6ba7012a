"""Checks of published rows, each by a route that did not make what it checks; one file a concern.

A check returns what is wrong with a row, a message a fault; none means that the row stands. The module called
like a family offers ``CHECKS``, which says what of its tables is checked and how; a family without one is not
checked at all, and the report says so.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # `doctor` needs the readers of texts below this package, but neither Arrow nor DuckDB
    from orrery.checks.inputs import CheckedProblem, CheckInputs
    from orrery.checks.verdict_parts import Notes
    from orrery.checks.verdicts import Verdicts

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class FamilyChecks:
    """The checks of the tables of a family.

    ``columns`` has, by name of the check, the columns that it verifies. ``problem`` checks all rows that
    belong to one problem; ``beside`` has by intermediate table the stage that writes it and the columns that
    are read with them. ``rows`` checks rows apart from their problems: rows of no problem, and a sample for
    another tool. ``dataset`` compares rows of several problems, once all were checked, by their notes.
    ``unique`` has by table the columns, besides the id, that no two rows share. A ``costly`` family decides
    anew what a problem states, so that each of its problems is a work item, and a planner decides some.
    """

    columns: Mapping[str, tuple[str, ...]]
    problem: Callable[[CheckedProblem, Verdicts], None] | None = None
    rows: Callable[[CheckInputs], Verdicts] | None = None
    dataset: Callable[[CheckInputs, Notes, Verdicts], None] | None = None
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    unique: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    costly: bool = False


def family_checks() -> Mapping[str, FamilyChecks]:
    """Find the checks of each family that has any, by the family's name, sorted."""
    from orrery.families import families

    return _found(tuple(__path__), tuple(families()))


@lru_cache(maxsize=8)
def _found(folders: tuple[str, ...], names: tuple[str, ...]) -> Mapping[str, FamilyChecks]:
    modules_here = {module.name for module in pkgutil.iter_modules(folders)}
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names if name in modules_here}
    checks = {name: module.CHECKS for name, module in modules.items() if hasattr(module, "CHECKS")}
    return MappingProxyType(checks)


def unchecked() -> dict[str, list[str]]:
    """Find the columns of published tables that no check vouches for, by table."""
    from orrery.families import families

    checks_of = family_checks()
    columns_by_table: dict[str, list[str]] = {}
    for name, family in families().items():
        checked = set(chain.from_iterable(checks_of[name].columns.values())) if name in checks_of else set()
        lacking = {table.name: [c for c in table.schema.names if c not in checked] for table in family.tables}
        columns_by_table |= {table: columns for table, columns in lacking.items() if columns}
    return columns_by_table
