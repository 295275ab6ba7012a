"""Orrery: rebuilds planning-language benchmarks with every answer proven."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any

__version__ = "0.1.0"
__all__ = [
    "Curriculum",
    "Item",
    "Items",
    "ProceduralConfig",
    "ProceduralTasks",
    "Reward",
    "Score",
    "TaskStream",
    "__version__",
    "examples",
    "load",
    "load_environment",
    "register_reasoning_gym",
    "score",
    "tasks",
    "training_set",
]

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
        "Score": "library.judging",
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


def __getattr__(name: str) -> Any:
    """Return what the library calls ``name``.

    Raises:
        ToolMissing: the part needs a package that an extra brings.
    """
    if name not in _HOMES:
        raise AttributeError(f"module 'orrery' has no attribute '{name}'")
    try:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    except ModuleNotFoundError as error:
        raise import_module(".installation", __name__).tool_missing(error) or error from error


def __dir__() -> list[str]:
    """Return the names that the library offers."""
    return __all__
