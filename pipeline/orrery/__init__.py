"""Orrery: rebuilds planning-language benchmarks with every answer proven."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any

__version__ = "0.2.0"
# What the library offers, by the module that holds it. Modules are imported when a name is first asked for,
# so that `import orrery` costs nothing; `__init__.pyi` tells type checkers the same.
_HOMES = MappingProxyType(
    {
        "Curriculum": "training.curriculum",
        "Item": "library.items",
        "Items": "library.loading",
        "ProceduralConfig": "training.procedural",
        "ProceduralTasks": "training.procedural",
        "Reward": "training.rewards",
        "Score": "grading",
        "TaskStream": "library.streams",
        "examples": "training.examples",
        "load": "library.loading",
        "load_environment": "training.verifiers_environment",
        "register_reasoning_gym": "training.procedural",
        "score": "library.judging",
        "tasks": "library.streams",
        "training_set": "training.examples",
    }
)
# What ``verifiers`` looks for among the names of a module, from the release with tasksets on.
_FOR_VERIFIERS = MappingProxyType(
    dict.fromkeys(("OrreryHarness", "OrreryTaskset"), "training.verifiers_taskset")
)


def __getattr__(name: str) -> Any:
    """Return what the library calls ``name``.

    Raises:
        ToolMissing: the part needs a package that an extra brings.
    """
    if name == "__all__":
        return _names()
    home = _HOMES.get(name) or _FOR_VERIFIERS.get(name)
    if home is None:
        raise AttributeError(f"module 'orrery' has no attribute '{name}'")
    try:
        return getattr(import_module(f".{home}", __name__), name)
    except ModuleNotFoundError as error:
        raise import_module(".installation", __name__).tool_missing(error) or error from error


def __dir__() -> list[str]:
    """Return the names that the library offers."""
    return _names()


def _names() -> list[str]:
    """Return what is offered here: what is for ``verifiers`` only beside a release that reads it."""
    release = import_module(".training.verifiers_release", __name__)
    return sorted(["__version__", *_HOMES, *(_FOR_VERIFIERS if release.has_tasksets() else ())])
