"""What the folders hold: domains, their descriptions and their generators. The folder is the registry."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast

import yaml

from pipeline.model import (
    Domain,
    Generated,
    Limits,
    Literal,
    OrreryError,
    Pairing,
    Parameters,
    Problem,
    Step,
    UsageError,
)
from pipeline.pddl.read import PddlError, read_domain_file

SPLITS = ("test", "validation", "train")

Planner = Callable[[Problem], list[Step] | None]
ClosureRule = Callable[[Problem], frozenset[Literal] | None]


class Generator(Protocol):
    """What a file in ``generators/`` offers; ``plan`` and ``close_goal`` may be left out."""

    PAIRINGS: tuple[Pairing, ...]

    def draw(self, pairing: Pairing, limits: Limits, rng: random.Random) -> Parameters:
        """Parameters of the pairing within ``limits``."""

    def build(self, pairing: Pairing, parameters: Parameters, rng: random.Random) -> Generated:
        """A problem with these parameters."""


@dataclass(frozen=True)
class Description:
    """The content of a ``domain.yaml``; every key may be left out.

    ``split`` gives the share of each split among what ``test_only`` and ``test_tasks`` do not hold
    out; ``difficulties`` gives, by difficulty, the limits that the generator draws within.
    """

    title: str = ""
    source: str = ""
    licence: str = "MIT"
    test_only: bool = False
    test_tasks: tuple[str, ...] = ()
    split: Mapping[str, float] | None = None
    difficulties: Mapping[str, Limits] | None = None
    picture: Mapping[str, Any] | None = None

    def shares(self) -> dict[str, float]:
        """The share of each split, ``train`` taking four fifths unless the file says otherwise."""
        given = self.split or {"train": 0.7, "validation": 0.1, "test": 0.2}
        return {name: float(given.get(name, 0.0)) for name in SPLITS}


class Catalog:
    """The domains of one checkout, found by looking in its folders."""

    def __init__(self, root: Path) -> None:
        """``root`` is the folder that holds ``domains``, ``generators`` and ``templates``."""
        self.root = root
        self.templates = root / "templates"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all domains, sorted."""
        return tuple(sorted(path.parent.name for path in self.root.glob("domains/*/domain.pddl")))

    def entry(self, name: str) -> Entry:
        """The domain ``name``.

        Raises:
            UsageError: no such domain; the message lists those there are.
        """
        if name not in self.names:
            known = ", ".join(self.names) or "none"
            raise UsageError(
                f"domain '{name}'",
                f"no {self.root / 'domains' / name / 'domain.pddl'}",
                f"there are: {known}",
            )
        return Entry(self.root, name)


@dataclass(frozen=True)
class Entry:
    """One domain with everything that the folders hold about it; each part is read when asked for."""

    root: Path
    name: str

    @property
    def folder(self) -> Path:
        """``domains/<name>``."""
        return self.root / "domains" / self.name

    @property
    def generator_file(self) -> Path:
        """``generators/<name>.py``, hyphens and all: the build looks files up by the domain's name."""
        return self.root / "generators" / f"{self.name}.py"

    @cached_property
    def domain(self) -> Domain:
        """The domain; its name must be the folder's, or Fast Downward refuses the problems."""
        domain = read_domain_file(self.folder / "domain.pddl")
        if domain.name != self.name:
            raise PddlError(
                str(self.folder / "domain.pddl"),
                f"the domain is named '{domain.name}', its folder '{self.name}'",
                "give both the same name",
            )
        return domain

    @cached_property
    def description(self) -> Description:
        """The content of ``domain.yaml``, or the defaults where there is none."""
        path = self.folder / "domain.yaml"
        return _description(path) if path.exists() else Description(title=self.name)

    @cached_property
    def generator(self) -> Generator | None:
        """The generator module, or None where the domain comes with problem files alone."""
        if not self.generator_file.exists():
            return None
        module = _load(self.generator_file)
        for wanted in ("PAIRINGS", "draw", "build"):
            if not hasattr(module, wanted):
                raise OrreryError(str(self.generator_file), f"has no '{wanted}'", "see CONTRIBUTING.md")
        return cast(Generator, module)

    @property
    def planner(self) -> Planner | None:
        """The domain's own planner, where its generator has one."""
        return getattr(self.generator, "plan", None)

    @property
    def closure_rule(self) -> ClosureRule | None:
        """The domain's own goal closure, where its generator has one."""
        return getattr(self.generator, "close_goal", None)

    @property
    def problem_files(self) -> list[Path]:
        """Problems given as PDDL, sorted by name."""
        return sorted(self.folder.glob("problems/*.pddl"))


def _load(path: Path) -> ModuleType:
    """Import a generator by its path; whatever it raises is reported with the file's name."""
    spec = importlib.util.spec_from_file_location(f"generators.{path.stem.replace('-', '_')}", path)
    if spec is None or spec.loader is None:
        raise OrreryError(str(path), "is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise OrreryError(str(path), f"cannot be imported: {type(error).__name__}: {error}") from error
    return module


def _description(path: Path) -> Description:
    """Read and check one ``domain.yaml``."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise OrreryError(str(path), f"cannot be read: {error}", "give valid YAML") from error
    known = {field.name for field in fields(Description)}
    if not isinstance(content, dict) or (unknown := sorted(set(content) - known)):
        named = ", ".join(map(str, unknown)) if isinstance(content, dict) else "its top level"
        raise OrreryError(str(path), f"does not know {named}", f"keys are: {', '.join(sorted(known))}")
    content["test_tasks"] = tuple(content.get("test_tasks") or ())
    description = Description(**content)
    _check(path, description)
    return description


def _check(path: Path, description: Description) -> None:
    """Refuse unknown splits and limits that are no ranges."""
    if unknown := sorted(set(description.split or {}) - set(SPLITS)):
        raise OrreryError(str(path), f"unknown split '{unknown[0]}'", f"splits are: {', '.join(SPLITS)}")
    if abs(sum(description.shares().values()) - 1) > 1e-9:
        raise OrreryError(str(path), "the shares of 'split' do not add up to 1")
    for difficulty, limits in (description.difficulties or {}).items():
        for quantity, limit in limits.items():
            if len(limit) != 2 or limit[0] > limit[1]:
                raise OrreryError(
                    str(path), f"difficulties.{difficulty}.{quantity} is {limit}", "give [least, most]"
                )


@cache
def entry_of(root: Path, name: str) -> Entry:
    """The domain ``name`` of the checkout at ``root``, read once a process."""
    return Catalog(root).entry(name)
