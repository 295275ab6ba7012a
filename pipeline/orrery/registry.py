"""Find modules by listing the folders of a package, so that a new file is a new entry."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType


def modules_in(package: str, folders: Iterable[str]) -> dict[str, ModuleType]:
    """Import all modules in the folders of a package and return them by name, sorted."""
    names = sorted(module.name for module in pkgutil.iter_modules(folders))
    return {name: import_module(f"{package}.{name}") for name in names}
