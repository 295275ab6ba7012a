"""What ``params.yaml`` asks for: the seed, the domains and the size of the build."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from orrery.model import OrreryError, UsageError

SPLITS = ("train", "validation", "test")
COUNTS = ("problems", "test")
ENTRIES = ("seed", "domains", "held_out", "size", "sizes", "corpus")


@dataclass(frozen=True)
class Size:
    """How much to build, per domain.

    ``problems``: how many problems of each difficulty; held-out tasks have their part of them, unless
    ``test`` gives counts of their own. ``by_domain``: other ``problems`` and ``test`` for some domains.
    ``tasks``: by domain, the tasks to draw; all where there are none. ``split``: shares by split in the place
    of those in domain.yaml, for held-out tasks and test-only domains, too. ``vocabularies``: the share of
    problems, 0 to 1, that are also told in obfuscated words, by vocabulary. ``paraphrases``: in how many
    wordings each problem is told.

    ``asked``: of how many problems a split questions are asked. ``states``: how many states of each of them.
    ``questions``: at most so many questions a kind, format and split. ``scale``: how many times all of these
    counts, those of problems included, are meant. ``max_states``: the budget of a sweep, in
    states. ``max_facts``: the largest task, in fluent facts, whose landmarks are decided. ``planner_share``:
    the share of problems, 0 to 1, that ``validate`` has another tool read from their PDDL, with their plans.
    ``seconds``: the limit of one planner call.
    """

    problems: Mapping[str, int]
    asked: int
    states: int
    questions: int
    max_states: int = 200_000
    max_facts: int = 120
    planner_share: float = 0.02
    seconds: float = 30.0
    paraphrases: int = 1
    scale: int = 1
    test: Mapping[str, int] | None = None
    by_domain: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    tasks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    split: Mapping[str, float] | None = None
    vocabularies: Mapping[str, float] = field(default_factory=dict)

    def counts(self, name: str) -> tuple[Mapping[str, int], Mapping[str, int] | None]:
        """Problems by difficulty that are asked of a domain, and those of its held-out tasks if apart."""
        own = self.by_domain.get(name)
        if own is None:
            return self.problems, self.test
        return own.get("problems", self.problems), own.get("test")

    def scaled(self) -> Size:
        """The size with its counts multiplied by ``scale``, and that 1."""
        times = partial(_times, self.scale)
        by_domain = {
            name: {part: times(counts) for part, counts in own.items()}
            for name, own in self.by_domain.items()
        }
        return replace(
            self,
            problems=times(self.problems),
            asked=self.asked * self.scale,
            questions=self.questions * self.scale,
            scale=1,
            test=None if self.test is None else times(self.test),
            by_domain=by_domain,
        )


def _times(scale: int, counts: Mapping[str, int]) -> dict[str, int]:
    return {name: scale * count for name, count in counts.items()}


@dataclass(frozen=True)
class HeldOut:
    """What goes to the test split beyond what domain.yaml says: configurations by domain, and domains."""

    configurations: Mapping[str, Sequence[str]] = field(default_factory=dict)
    domains: Sequence[str] = ()


@dataclass(frozen=True)
class Settings:
    """The content of ``params.yaml`` for the chosen size."""

    root: Path
    seed: int
    domains: tuple[str, ...]
    size_name: str
    size: Size
    held_out: HeldOut = HeldOut()

    @property
    def outputs(self) -> Path:
        """Where every stage writes."""
        return self.root / "outputs"


def load(root: Path) -> Settings:
    """The settings of the checkout at ``root``.

    Raises:
        OrreryError: the file is missing, is no YAML, or holds an unknown key or a value of the wrong kind.
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
    _check_keys(str(path), content, ENTRIES)  # held_out misspelt would hold nothing out
    names = _domains(path, domains)
    held_out = _held_out(f"{path}: held_out", content.get("held_out"), names)
    return Settings(root, seed, names, name, _size(path, name, sizes[name], names), held_out)


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
    chosen = replace(now, size_name=name, size=_size(path, name, sizes[name], now.domains))
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


def _size(path: Path, name: str, content: Any, domains: Sequence[str]) -> Size:
    """One entry of ``sizes``."""
    where = f"{path}: sizes.{name}"
    known = {field.name: field for field in fields(Size)}
    _check_keys(where, content, known)
    needed = [
        key for key, each in known.items() if each.default is MISSING and each.default_factory is MISSING
    ]
    if lacking := [key for key in needed if key not in content]:
        raise OrreryError(where, f"lacks '{lacking[0]}'", "add it")
    # A key without a value counts as left out.
    given = {key: value for key, value in content.items() if value is not None or key in needed}
    for key, value in given.items():
        _check_value(f"{where}.{key}", key, value, domains)
        if known[key].type in ("int", "float"):
            least = 1 if key in ("max_states", "seconds", "paraphrases", "scale") else 0
            _check_number(f"{where}.{key}", value, whole=known[key].type == "int", least=least)
    if given.get("planner_share", 0) > 1:
        raise OrreryError(
            f"{where}.planner_share", f"is {content['planner_share']}", "give a share from 0 to 1"
        )
    return Size(**given).scaled()


def _check_value(where: str, key: str, value: Any, domains: Sequence[str]) -> None:
    """Refuse what is no value for one of those keys of a size that hold no number."""
    if key in COUNTS:
        _check_counts(where, value)
    elif key == "by_domain":
        for name, own in _by_domain(where, value, domains).items():
            _check_keys(f"{where}.{name}", own, COUNTS)
            for part, counts in own.items():
                _check_counts(f"{where}.{name}.{part}", counts)
    elif key == "tasks":
        for name, tasks in _by_domain(where, value, domains).items():
            _check_names(f"{where}.{name}", tasks, "tasks")
    elif key == "split":
        _check_keys(where, value, SPLITS)
        if abs(sum(_shares(where, value)) - 1) > 1e-9:
            raise OrreryError(where, "the shares do not add up to 1", "change one of them")
    elif key == "vocabularies":
        _shares(where, value)


def _held_out(where: str, content: Any, domains: Sequence[str]) -> HeldOut:
    """The entry ``held_out``, which may be missing."""
    if content is None:
        return HeldOut()
    _check_keys(where, content, [field.name for field in fields(HeldOut)])
    given = {key: value for key, value in content.items() if value is not None}
    found = HeldOut(**given)
    _check_names(f"{where}.domains", found.domains, "domains")
    for name in found.domains:
        _check_listed(f"{where}.domains", name, domains)
    for name, names in _by_domain(f"{where}.configurations", found.configurations, domains).items():
        _check_names(f"{where}.configurations.{name}", names, "configurations")
    return found


def _check_keys(where: str, content: Any, known: Iterable[str]) -> None:
    """Refuse what is no mapping, or has keys beyond the known ones."""
    if not isinstance(content, dict):
        raise OrreryError(where, f"expected keys with values, found {content!r}")
    if unknown := sorted(set(map(str, content)) - set(known)):
        raise OrreryError(where, f"does not know '{unknown[0]}'", f"keys are: {', '.join(known)}")


def _by_domain(where: str, content: Any, domains: Sequence[str]) -> Mapping[str, Any]:
    """The mapping ``content``, whose keys must be domains that are built."""
    if not isinstance(content, dict):
        raise OrreryError(where, f"is {content!r}", "give values by domain")
    for name in content:
        _check_listed(where, name, domains)
    return content


def _check_listed(where: str, name: object, domains: Sequence[str]) -> None:
    if name not in domains:
        raise OrreryError(where, f"names '{name}', which is not under 'domains'", "add it there, or drop it")


def _check_counts(where: str, counts: Any) -> None:
    if not isinstance(counts, dict) or not all(type(n) is int and n >= 0 for n in counts.values()):
        raise OrreryError(where, f"is {counts!r}", "give counts by difficulty, as {easy: 10}")


def _check_names(where: str, names: Any, what: str) -> None:
    listed = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    if not listed or len(set(names)) < len(names):
        raise OrreryError(where, f"is {names!r}", f"list names of {what}, each once")


def _shares(where: str, content: Any) -> list[float]:
    """The values of a mapping of names to shares."""
    if not isinstance(content, dict) or not all(map(_is_share, content.values())):
        raise OrreryError(where, f"is {content!r}", "give shares from 0 to 1 by name")
    return list(content.values())


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _check_number(where: str, value: object, *, whole: bool, least: int) -> None:
    """Refuse what is no number, or below ``least``, or a fraction where whole numbers are meant."""
    kinds = (int,) if whole else (int, float)
    if type(value) not in kinds or not value >= least:  # type: ignore[operator]
        wanted = "a whole number" if whole else "a number"
        raise OrreryError(where, f"expected {wanted} from {least} on, found {value!r}")
