"""``orrery doctor``: which extras and tools are there, and whether the folders fit together."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orrery import __version__
from orrery.catalog import Catalog, Entry
from orrery.config import load
from orrery.installation import extras, install, lacking
from orrery.language.read_back import Inverter
from orrery.language.words import Words
from orrery.model import OrreryError
from orrery.planners.probe import probe
from orrery.stages.draw import draw

TOOL_MISSING, DATA_FAILED = 4, 3
OF_ALL = ("all", "dev")  # extras that only gather others, and tools for work on Orrery itself

_MISSING = "missing, and dvc.yaml names it; with problem files alone it is the one line 'TASKS = ()'"


@dataclass(frozen=True)
class Report:
    """Tools found (name, version or None, detail), what extras lack, and faults of the folders.

    ``unlisted`` are domains that are there and are not built, as ``params.yaml`` does not list them.
    """

    tools: tuple[tuple[str, str | None, str], ...]
    lacking: Mapping[str, Sequence[str]]
    faults: tuple[str, ...]
    unlisted: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """The exit code: 0, or what a tool that does not work or a fault in the folders asks for.

        An extra that is not installed is no fault, nor is a domain that is not built.
        """
        if any(found is None for _, found, _ in self.tools):
            return TOOL_MISSING
        return DATA_FAILED if self.faults else 0

    def as_json(self) -> str:
        """Return the report for scripts."""
        tools = [{"name": name, "version": found, "detail": detail} for name, found, detail in self.tools]
        found = {"lacking": self.lacking, "faults": self.faults, "unlisted": self.unlisted}
        return json.dumps({"tools": tools, **found}, indent=2)

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return the report for people, a row a finding: how it stands, what, its version, details."""
        found = [("ok" if v else "BROKEN", name, v or "", detail) for name, v, detail in self.tools]
        for extra, names in self.lacking.items():
            lacks = f"lacks {', '.join(names)}: {install(extra)}" if names else ""
            found.append(("absent" if names else "ok", f"extra {extra}", "", lacks))
        not_built = "is not built, for params.yaml does not list it under 'domains'"
        found += [("absent", f"domain {name}", "", not_built) for name in self.unlisted]
        found += [("FAULT", fault, "", "") for fault in self.faults]
        whole = "domains, generators and templates fit together"
        return found if self.faults else [*found, ("ok", whole, "", "")]

    def as_text(self) -> str:
        """Return the rows as aligned lines."""
        lines = (f"{mark:8}{name:18}{version:12}{detail}" for mark, name, version, detail in self.rows())
        return "\n".join(line.rstrip() for line in lines)


def run(root: Path) -> Report:
    """Look for extras, try the planners, and read every domain, draw a problem of it and its picture."""
    python = ("python", platform.python_version(), platform.platform())
    orrery = ("orrery", __version__, f"with the domains of {root.resolve()}")
    missing = {extra: lacking(extra) for extra in extras() if extra not in OF_ALL}
    faults, unlisted = _looked_at(root)
    return Report((python, orrery, *probe()), missing, tuple(faults), tuple(unlisted))


def _looked_at(root: Path) -> tuple[list[str], list[str]]:
    """Return a line for each thing in the folders that would make a stage fail, and domains not listed."""
    catalog = Catalog(root)
    try:
        asked = load(root).domains
    except OrreryError as error:
        return [str(error)], []
    absent = [
        f"params.yaml: domains names '{name}', which has no folder"
        for name in asked
        if name not in catalog.names
    ]
    faults = [*absent, *(fault for name in catalog.names for fault in _faults_of(catalog.entry(name)))]
    return faults, [name for name in catalog.names if name not in asked]


def _faults_of(entry: Entry) -> list[str]:
    """Return what is wrong with one domain."""
    words = Words(entry.name, entry.root / "templates")
    try:
        _ = entry.description
        if entry.generator is None:
            return [f"{entry.generator_file}: {_MISSING}"]
        if not entry.tasks and not entry.problem_files:
            return [f"{entry.generator_file}: offers no task, and there are no problem files"]
        if lacking := words.missing(entry.domain):
            return [f"{words.path}: lacks {stub}" for stub in lacking]
        if entry.tasks:
            draw(entry.root, entry.name)  # a problem that is none of the domain, a picture that fails
        shared = Inverter(words, entry.domain).shared
        return [f"{words.path}: {one} and {other} share a wording; reword one" for one, other in shared]
    except OrreryError as error:
        return [str(error)]
