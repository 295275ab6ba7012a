"""The rooms of our code, files and folders of the package, that each stage of dvc.yaml can reach by imports.

``python -m tests.rooms`` writes them to dvc.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import grimp
import yaml

from tests.every_domain import ROOT
from tests.imports import imports_of

STEPS = {
    "generate-tasks": ("render", "generate_questions", "generate_plan_tasks", "generate_worlds"),
    "describe-domains": ("describe_domains",),
}
BY_DOMAIN = ("generate", "solve", "generate-tasks")
# Packages whose modules are found by looking into their folders.
REGISTRIES = (
    "orrery.families.plans.tasks", "orrery.families.questions.kinds", "orrery.checks.plans.tasks",
    "orrery.checks.questions.kinds", "orrery.grading",
)  # fmt: skip
LOADER = "orrery.generator_file"  # reaches all that generators import
FAMILIES, DATASET = "orrery.families", "orrery.dataset"  # the latter looks into the former
CODE = "pipeline/"
SMALL = ("families", "stages", "evaluation")  # of these each module or folder is a room of its own


@cache
def graph() -> Any:
    """The imports of the package, those inside functions too."""
    return grimp.build_graph("orrery", cache_dir=None)


def stages() -> dict[str, Any]:
    """The stages of dvc.yaml."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    return found


def below(package: str) -> set[str]:
    """The modules below a package."""
    return {module for module in graph().modules if module.startswith(f"{package}.")}


def reached(modules: Iterable[str]) -> set[str]:
    """The modules that some modules can import, directly or not."""
    found, waiting = set[str](), list(modules)
    while waiting:
        module = waiting.pop()
        if module in found or module not in graph().modules or module == "orrery":
            continue
        found.add(module)
        waiting += graph().find_modules_directly_imported_by(module)
        waiting.append(module.rpartition(".")[0])  # Python runs a package before its modules
        waiting += below(module) if module in REGISTRIES else ()
        waiting += generators_import() if module == LOADER else ()
        waiting += below(FAMILIES) if module.startswith(f"{DATASET}.") else ()
    return found


@cache
def generators_import() -> frozenset[str]:
    """The modules of ours that generators import."""
    names = {name for path in (ROOT / "generators").glob("*.py") for _, name in imports_of(path)}
    return frozenset(name for name in {*names, *(name.rpartition(".")[0] for name in names)})


def room(module: str) -> str:
    """The path of the room of a module, as dvc.yaml names it."""
    parts = module.split(".")
    depth = 3 if parts[1] in SMALL and len(parts) > 2 else 2
    path = ROOT.joinpath("pipeline", *parts[:depth])
    if len(parts) == 2 and parts[1] in SMALL:
        path /= "__init__"
    return path.relative_to(ROOT).as_posix() + ("" if path.is_dir() else ".py")


def rooms_of(stage: str) -> list[str]:
    """The rooms that a stage can reach, sorted; where it reaches all families, these are one room."""
    modules = [f"orrery.stages.{step}" for step in STEPS.get(stage, (stage,))]
    modules += ["orrery.stages.running", *(["orrery.stages.over_domains"] if stage in BY_DOMAIN else [])]
    empty = {"orrery", "orrery.stages", "orrery.evaluation"}  # nothing but docstrings, or names loaded late
    found = {room(module) for module in reached(modules) - empty}
    families = {room(module) for module in {FAMILIES, *below(FAMILIES)}}
    if families <= found:
        found = found - families | {"pipeline/orrery/families"}
    return sorted(found)


def with_rooms(text: str) -> str:
    """dvc.yaml with the rooms of each stage as the imports are now, after its other dependencies."""
    blocks = re.split(r"(?m)^(?=  [\w-]+:\n    desc)", text)
    for number, block in enumerate(blocks[1:], 1):
        name, listed = re.match(r"  ([\w-]+):", block), re.search(r"(?m)^    deps:\n((?:      .*\n)+)", block)
        if name and listed:
            lines = [line for line in listed[1].splitlines(keepends=True) if f"- {CODE}" not in line]
            lines += [f"      - {path}\n" for path in rooms_of(name[1])]
            blocks[number] = block[: listed.start(1)] + "".join(lines) + block[listed.end(1) :]
    return "".join(blocks)


if __name__ == "__main__":
    (ROOT / "dvc.yaml").write_text(with_rooms((ROOT / "dvc.yaml").read_text()))
