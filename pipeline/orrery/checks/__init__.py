"""Check published rows; each check uses another method than the code that made the rows.

Each file has one concern. A check returns messages, one for each fault of a row; an empty list means that the
row is correct. For each family, the module of the same name defines ``CHECKS``: which tables are checked, and
how. A family without this module is not checked; the report states it.
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

if TYPE_CHECKING:  # `doctor` uses the readers in this package, but runs without Arrow and DuckDB
    from orrery.checks.inputs import CheckedProblem, CheckInputs
    from orrery.checks.verdict_parts import Notes
    from orrery.checks.verdicts import Verdicts

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class FamilyChecks:
    """The checks of the tables of a family.

    ``columns`` maps each check to the columns that it verifies. ``problem`` checks all rows of one problem;
    ``beside`` maps each intermediate table that it needs to the stage that writes it and the columns to read.
    ``rows`` checks rows independently of their problems: rows without a problem, and a sample for another
    tool. ``dataset`` runs last; it compares rows of several problems by their notes. ``unique`` maps a table
    to the columns, in addition to the id, whose values must differ between rows. A ``costly`` family repeats
    the decisions on a problem: each of its problems is a work item, and a planner decides some of them.
    """

    columns: Mapping[str, tuple[str, ...]]
    problem: Callable[[CheckedProblem, Verdicts], None] | None = None
    rows: Callable[[CheckInputs], Verdicts] | None = None
    dataset: Callable[[CheckInputs, Notes, Verdicts], None] | None = None
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    unique: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    costly: bool = False


def family_checks() -> Mapping[str, FamilyChecks]:
    """Return the checks of each family that has checks, by family name, sorted."""
    from orrery.families import families

    return _import_checks(tuple(__path__), tuple(families()))


@lru_cache(maxsize=8)
def _import_checks(folders: tuple[str, ...], names: tuple[str, ...]) -> Mapping[str, FamilyChecks]:
    modules_here = {module.name for module in pkgutil.iter_modules(folders)}
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names if name in modules_here}
    checks = {name: module.CHECKS for name, module in modules.items() if hasattr(module, "CHECKS")}
    return MappingProxyType(checks)


def unchecked() -> dict[str, list[str]]:
    """Return, by table, the published columns that no check verifies."""
    from orrery.families import families

    checks_of = family_checks()
    columns_by_table: dict[str, list[str]] = {}
    for name, family in families().items():
        checked = set(chain.from_iterable(checks_of[name].columns.values())) if name in checks_of else set()
        lacking = {table.name: [c for c in table.schema.names if c not in checked] for table in family.tables}
        columns_by_table |= {table: columns for table, columns in lacking.items() if columns}
    return columns_by_table
