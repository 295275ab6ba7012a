"""Orrery rebuilds planning-language benchmarks and proves every answer."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any

__version__ = "0.2.0"
# Public names by module. A module is imported at the first use of one of its names, so that
# `import orrery` is fast. `__init__.pyi` contains the same names for type checkers.
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
        "WorldCurriculum": "training.world_curriculum",
        "check_plan": "library.user_pddl",
        "compare": "library.user_pddl",
        "examples": "training.examples",
        "load": "library.loading",
        "load_environment": "training.verifiers_environment",
        "register_gymnasium": "training.gymnasium_registration",
        "register_reasoning_gym": "training.procedural",
        "score": "library.judging",
        "tasks": "library.streams",
        "training_set": "training.examples",
        "world": "library.worlds",
        "world_environment": "training.trl_worlds",
        "world_of_pddl": "library.worlds",
        "world_of_row": "library.worlds",
    }
)
# Names that ``verifiers`` looks up in a module, from its first release with tasksets.
_FOR_VERIFIERS = MappingProxyType(
    {
        "OrreryEnv": "training.verifiers_taskset",
        "OrreryHarness": "training.verifiers_taskset",
        "OrreryTaskset": "training.verifiers_taskset",
    }
)


def __getattr__(name: str) -> Any:
    """Return the public object ``name``.

    Raises:
        ToolMissing: a required package of an extra is not installed.
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
    """Return the public names."""
    return _names()


def _names() -> list[str]:
    """Return the public names. Those for ``verifiers`` are included only if its release supports tasksets."""
    has_tasksets = import_module(".installation", __name__).has_release("verifiers", 0, 4)
    return sorted(["__version__", *_HOMES, *(_FOR_VERIFIERS if has_tasksets else ())])
