"""What ``params.yaml`` asks for: the seed, the domains and the size of the build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any

import yaml

from pipeline.model import OrreryError, UsageError


@dataclass(frozen=True)
class Size:
    """How much to build, per domain.

    ``problems``: how many problems of each difficulty. ``asked``: of how many problems a split
    questions are asked. ``states``: how many states of each of them. ``questions``: at most so many
    questions a kind and split. ``max_states``: the budget of a sweep, in states. ``max_facts``: the
    largest task, in fluent facts, whose landmarks are decided. ``planner_share``: the share of problems,
    0 to 1, that ``validate`` has other tools read and solve from their PDDL. ``seconds``: the limit of one
    planner call.
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
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise OrreryError(
            str(path), problem, "run from the folder that holds it, or name it: --root"
        ) from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        problem = f"cannot be read: {' '.join(str(error).split())}"
        raise OrreryError(str(path), problem, "give valid YAML") from error
    seed = _of_kind(path, content, "seed", int)
    domains = _of_kind(path, content, "domains", list)
    name = _of_kind(path, content, "size", str)
    sizes = _of_kind(path, content, "sizes", dict)
    if name not in sizes:
        raise OrreryError(f"{path}: size", f"there is no size '{name}'", _listed(sizes))
    return Settings(root, seed, _domains(path, domains), name, _size(path, name, sizes[name]))


def choose(root: Path, name: str) -> Settings:
    """The settings with the size ``name``, which is entered in ``params.yaml`` unless it stands there.

    Raises:
        UsageError: there is no such size; the file is unchanged.
        OrreryError: the entry of the size is faulty; the file is unchanged.
    """
    now = load(root)
    if now.size_name == name:
        return now
    path = root / "params.yaml"
    before = path.read_text(encoding="utf-8")
    sizes = yaml.safe_load(before)["sizes"]
    if name not in sizes:
        raise UsageError(f"size '{name}'", f"does not stand in {path}", _listed(sizes))
    chosen = replace(now, size_name=name, size=_size(path, name, sizes[name]))
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(re.sub(r"(?m)^size:.*$", f"size: {name}", before, count=1), encoding="utf-8")
    temporary.replace(path)
    return chosen


def _listed(sizes: Mapping[str, Any]) -> str:
    return f"sizes are: {', '.join(map(str, sizes))}"


def _domains(path: Path, names: list[Any]) -> tuple[str, ...]:
    """The names of domains, each once."""
    for name in names:
        if not isinstance(name, str) or names.count(name) > 1:
            what = "stands there twice" if isinstance(name, str) else "is no name"
            raise OrreryError(f"{path}: domains", f"{name!r} {what}", "list every domain once")
    return tuple(names)


def _of_kind(path: Path, content: Any, key: str, kind: type) -> Any:
    """The value of ``key``, checked."""
    value = content.get(key) if isinstance(content, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise OrreryError(f"{path}: {key}", f"expected a value of type {kind.__name__}, found {value!r}")
    return value


def _size(path: Path, name: str, content: Any) -> Size:
    """One entry of ``sizes``."""
    where = f"{path}: sizes.{name}"
    if not isinstance(content, dict):
        raise OrreryError(where, f"expected keys with values, found {content!r}")
    known = {field.name: field for field in fields(Size)}
    if unknown := sorted(set(map(str, content)) - set(known)):
        raise OrreryError(where, f"does not know '{unknown[0]}'", f"keys are: {', '.join(known)}")
    if lacking := [key for key, each in known.items() if each.default is MISSING and key not in content]:
        raise OrreryError(where, f"lacks '{lacking[0]}'", "add it")
    problems = content["problems"]
    if not isinstance(problems, dict) or not all(type(n) is int and n >= 0 for n in problems.values()):
        raise OrreryError(f"{where}.problems", f"is {problems!r}", "give counts by difficulty, as {easy: 10}")
    for key, value in content.items():
        if key != "problems":
            least = 1 if key in ("max_states", "seconds") else 0
            _check_number(f"{where}.{key}", value, whole=known[key].type == "int", least=least)
    if content.get("planner_share", 0) > 1:
        raise OrreryError(
            f"{where}.planner_share", f"is {content['planner_share']}", "give a share from 0 to 1"
        )
    return Size(**content)


def _check_number(where: str, value: object, *, whole: bool, least: int) -> None:
    """Refuse what is no number, or below ``least``, or a fraction where whole numbers are meant."""
    kinds = (int,) if whole else (int, float)
    if type(value) not in kinds or not value >= least:  # type: ignore[operator]
        wanted = "a whole number" if whole else "a number"
        raise OrreryError(where, f"expected {wanted} from {least} on, found {value!r}")
