"""``orrery doctor``: which tools are there, and whether the folders fit together."""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass
from pathlib import Path

from orrery.catalog import Catalog, Entry
from orrery.config import load
from orrery.language.words import Words
from orrery.model import OrreryError
from orrery.planners.probe import probe

TOOL_MISSING, DATA_FAILED = 4, 3

_MISSING = "missing, and dvc.yaml names it; with problem files alone it is the one line 'TASKS = ()'"


@dataclass(frozen=True)
class Report:
    """What is there (name, version or None, detail) and what is wrong with the folders."""

    tools: tuple[tuple[str, str | None, str], ...]
    faults: tuple[str, ...]

    @property
    def code(self) -> int:
        """The exit code: 0, or what a missing tool or a fault in the folders asks for."""
        if any(found is None for _, found, _ in self.tools):
            return TOOL_MISSING
        return DATA_FAILED if self.faults else 0

    def as_json(self) -> str:
        """The report for scripts."""
        tools = [{"name": name, "version": found, "detail": detail} for name, found, detail in self.tools]
        return json.dumps({"tools": tools, "faults": self.faults}, indent=2)

    def as_text(self) -> str:
        """The report for people, a line a finding."""
        lines = [f"{_mark(found)}{name:18}{found or '':12}{detail}" for name, found, detail in self.tools]
        lines += [f"{'FAULT':8}{fault}" for fault in self.faults]
        if not self.faults:
            lines.append(f"{'ok':8}domains, generators and templates fit together")
        return "\n".join(line.rstrip() for line in lines)


def _mark(found: str | None) -> str:
    return f"{'ok' if found else 'MISSING':8}"


def run(root: Path) -> Report:
    """Probe planners and packages, and read every domain with its generator and words."""
    tools = [("python", platform.python_version(), platform.platform()), *probe()]
    return Report(tuple(tools), tuple(_faults(root)))


def _faults(root: Path) -> list[str]:
    """One line for each thing in the folders that a stage would stumble over."""
    catalog = Catalog(root)
    try:
        asked = load(root).domains
    except OrreryError as error:
        return [str(error)]
    unlisted = [
        f"domain '{name}' is not in params.yaml: domains" for name in catalog.names if name not in asked
    ]
    absent = [
        f"params.yaml: domains names '{name}', which has no folder"
        for name in asked
        if name not in catalog.names
    ]
    return [
        *unlisted,
        *absent,
        *(fault for name in catalog.names for fault in _faults_of(catalog.entry(name))),
    ]


def _faults_of(entry: Entry) -> list[str]:
    """What is wrong with one domain."""
    words = Words(entry.name, entry.root / "templates")
    try:
        _ = entry.description
        if entry.generator is None:
            return [f"{entry.generator_file}: {_MISSING}"]
        if not entry.tasks and not entry.problem_files:
            return [f"{entry.generator_file}: offers no task, and there are no problem files"]
        return [f"{words.path}: lacks {stub}" for stub in words.missing(entry.domain)]
    except OrreryError as error:
        return [str(error)]
