"""What ``params.yaml`` asks for: the seed, the domains and the size of the build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from pipeline.model import OrreryError


@dataclass(frozen=True)
class Size:
    """How much to build, per domain.

    ``problems``: how many problems of each difficulty. ``asked``: of how many problems a split
    questions are asked. ``states``: how many states of each of them. ``questions``: at most so many
    questions a kind and split. ``max_states``: the budget of a sweep, in states. ``max_facts``: the
    largest task, in fluent facts, whose landmarks are decided. ``planner_share``: the share of rows
    that ``validate`` has Fast Downward decide again. ``seconds``: the limit of one planner call.
    """

    problems: Mapping[str, int]
    asked: int
    states: int
    questions: int
    max_states: int = 200_000
    max_facts: int = 120
    planner_share: float = 0.02
    seconds: float = 30.0


@dataclass(frozen=True)
class Settings:
    """The content of ``params.yaml`` for the chosen size."""

    root: Path
    seed: int
    domains: tuple[str, ...]
    size_name: str
    size: Size

    @property
    def outputs(self) -> Path:
        """Where every stage writes."""
        return self.root / "outputs"


def load(root: Path) -> Settings:
    """The settings of the checkout at ``root``.

    Raises:
        OrreryError: the file is missing, is no YAML, or holds a value of the wrong kind.
    """
    path = root / "params.yaml"
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise OrreryError(
            str(path), f"cannot be read: {error}", "run from the folder that holds it"
        ) from error
    seed = _of_kind(path, content, "seed", int)
    domains = _of_kind(path, content, "domains", list)
    name = _of_kind(path, content, "size", str)
    sizes = _of_kind(path, content, "sizes", dict)
    if name not in sizes:
        raise OrreryError(f"{path}: size", f"there is no size '{name}'", f"sizes are: {', '.join(sizes)}")
    return Settings(root, seed, tuple(map(str, domains)), name, _size(path, name, sizes[name]))


def choose(root: Path, name: str) -> Settings:
    """The settings with the size ``name``, which is entered in ``params.yaml`` unless it stands there.

    Raises:
        OrreryError: there is no such size; the file is unchanged.
    """
    now = load(root)
    if now.size_name == name:
        return now
    path = root / "params.yaml"
    before = path.read_text(encoding="utf-8")
    after = re.sub(r"(?m)^size:.*$", f"size: {name}", before, count=1)
    path.write_text(after, encoding="utf-8")
    try:
        return load(root)
    except OrreryError:
        path.write_text(before, encoding="utf-8")
        raise


def _of_kind(path: Path, content: Any, key: str, kind: type) -> Any:
    """The value of ``key``, checked."""
    value = content.get(key) if isinstance(content, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise OrreryError(f"{path}: {key}", f"expected a value of type {kind.__name__}, found {value!r}")
    return value


def _size(path: Path, name: str, content: Mapping[str, Any]) -> Size:
    """One entry of ``sizes``."""
    known = {field.name: field.default for field in fields(Size)}
    if unknown := sorted(set(content) - set(known)):
        raise OrreryError(
            f"{path}: sizes.{name}", f"does not know '{unknown[0]}'", f"keys: {', '.join(known)}"
        )
    problems = content.get("problems")
    if not isinstance(problems, dict) or not all(isinstance(n, int) and n >= 0 for n in problems.values()):
        raise OrreryError(f"{path}: sizes.{name}.problems", "expected counts by difficulty, as {easy: 10}")
    for key, value in content.items():
        if key != "problems" and (isinstance(value, bool) or not isinstance(value, int | float) or value < 0):
            raise OrreryError(f"{path}: sizes.{name}.{key}", f"expected a number from 0 on, found {value!r}")
    try:
        return Size(**content)
    except TypeError as error:
        raise OrreryError(f"{path}: sizes.{name}", str(error).split(") ")[-1]) from error
