"""Read the files of PlanBench: prompts in JSON, one YAML configuration per domain, and PDDL.

prompts/<domain>/task_*.json     configs/<domain>.yaml     instances/<folder>/instance-<number>.pddl
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, StrictInt

from orrery.corpus.released_files import (
    AGAIN,
    Tell,
    UnixText,
    attempt,
    ignore,
    released_json,
    released_text,
    released_yaml,
    row_of,
)
from orrery.model import Domain, OrreryError, Problem, UsageError
from orrery.pddl.read import read_domain, read_problem

MEND = "name the published folder: prompts/<domain>/task_*.json, configs/*.yaml and instances/ below it"
REPLIES = "results"  # the folder of model replies, with the layout of prompts
_TEMPLATE = re.compile(r"[^{}]*\{(:0?\d{1,2})?\}[^{}]*")  # templates with a place for a number
_TASK = re.compile(r"task_(\d+(?:_\d+)?)_")
_GENERALIZATION = "5"


@dataclass(frozen=True)
class Config:
    """The configuration of a domain from ``configs``: its files and its words.

    ``predicates`` and ``actions`` have templates with ``{}`` for arguments, empty for those without words.
    ``objects`` has words by name, or templates by the first letters of a name.
    """

    path: Path
    name: str
    domain_file: Path
    instances: Path
    generalized: Path
    template: str
    predicates: Mapping[str, str] = field(compare=False)
    actions: Mapping[str, str] = field(compare=False)
    objects: Mapping[str, str] = field(compare=False)
    costs: str = field(compare=False)

    def instance(self, number: int, task: str) -> Path:
        """Return the instance file; generalization has a separate folder."""
        folder = self.generalized if task == _GENERALIZATION else self.instances
        return folder / self.template.format(number)


class PublishedPrompt(NamedTuple):
    """A row of a prompt file; ``stored`` is its published answer, ``number`` counts from 0.

    ``config`` is the configuration of its domain; None without a readable one.
    """

    file: str
    number: int
    task: str
    instance: int
    query: str
    stored: str | list[str] | None
    domain: str
    config: Config | None


def prompts(folder: Path, tell: Tell = ignore) -> list[PublishedPrompt]:
    """Return the rows of all files ``task_*.json`` below ``folder``, files sorted.

    Deviations from the published layout are reported to ``tell``, and the other rows are returned.

    Raises:
        UsageError: the folder or such a file does not exist.
        OrreryError: there are no rows; the message names the first fault if there is one.
    """
    faults: list[OrreryError] = []

    def report(place: str, problem: str) -> None:
        faults.append(OrreryError(place, problem, AGAIN))
        tell(place, problem)

    paths = prompt_files(folder)
    configs = _configs(folder, report)
    rows = [row for path in paths for row in _rows(folder, path, configs, report)]
    if not rows:
        empty = OrreryError(str(folder), "has no rows: `instances` is empty in all files task_*.json", AGAIN)
        raise faults[0] if faults else empty
    _tell_missing_tasks(rows, report)
    _tell_pddl(rows, report)
    return rows


def _tell_missing_tasks(rows: Sequence[PublishedPrompt], tell: Tell) -> None:
    """Report tasks without a prompt file."""
    tasks_by_domain: dict[str, set[str]] = {}
    for row in rows:
        tasks_by_domain.setdefault(row.domain, set()).add(row.task)
    tasks = set().union(*tasks_by_domain.values())
    for domain, present in tasks_by_domain.items():
        for task in sorted(tasks - present):
            tell(f"prompts of '{domain}'", f"has no file for a task: t{task}")


def _tell_pddl(rows: Sequence[PublishedPrompt], tell: Tell) -> None:
    """Report missing and unreadable files of domains and instances; each is read once.

    An instance of an unreadable domain cannot be read.
    """
    instances_by_config: dict[Config, set[Path]] = {}
    for row in rows:
        if row.config is not None:
            path = row.config.instance(row.instance, row.task)
            instances_by_config.setdefault(row.config, set()).add(path)
    for config, instances in instances_by_config.items():
        domain = attempt(partial(_read_domain, config, tell), tell)
        for path in sorted(instances):
            if not path.is_file():
                tell(str(path), "is an instance without a file")
            elif domain is not None:
                attempt(partial(problem_at, path, domain, tell), tell)


def prompt_files(folder: Path) -> list[Path]:
    """Return the prompt files below ``folder``, sorted, without files of model replies.

    Raises:
        UsageError: the folder or such a file does not exist.
    """
    if not folder.is_dir():
        raise UsageError(str(folder), "is not a folder", MEND)
    files = sorted(
        path
        for path in folder.rglob("task_*.json")
        if REPLIES not in path.relative_to(folder).parts and _TASK.match(path.name)
    )
    if not files:
        raise UsageError(str(folder), "has no file task_*.json", MEND)
    return files


def sources(folder: Path) -> list[Path]:
    """Return all files that affect the verdicts on prompts."""
    configs = _config_files(folder)
    bases = sorted({path.parent.parent / "instances" for path in configs})
    return [
        *prompt_files(folder),
        *configs,
        *(path for base in bases for path in sorted(base.rglob("*.pddl"))),
    ]


@lru_cache(maxsize=32)
def domain_of(config: Config) -> Domain:
    """Return the domain.

    Raises:
        OrreryError: its file is missing or not PDDL of the subset.
    """
    return _read_domain(config, ignore)


def _read_domain(config: Config, tell: Tell) -> Domain:
    if not config.domain_file.is_file():
        problem = f"does not exist, but {config.path.name} names it as the domain"
        raise OrreryError(str(config.domain_file), problem, AGAIN)
    return read_domain(released_text(config.domain_file, tell), str(config.domain_file))


def problem_at(path: Path, domain: Domain, tell: Tell = ignore) -> Problem | None:
    """Return the problem of a file; None for a missing file.

    Raises:
        OrreryError: it is not PDDL of the subset.
    """
    return read_problem(released_text(path, tell), domain, str(path)) if path.is_file() else None


class _Row(BaseModel):
    """A row of a prompt file, as published."""

    instance_id: StrictInt
    query: UnixText
    ground_truth_plan: UnixText | list[UnixText] | None


def _rows(folder: Path, path: Path, configs: Mapping[str, Config], tell: Tell) -> Iterator[PublishedPrompt]:
    """Yield the rows of a prompt file; others are reported."""
    content = attempt(lambda: released_json(path, tell), tell)
    if content is None:
        return
    if not isinstance(content, dict) or not isinstance(content.get("instances"), list):
        tell(str(path), "is not an object with a list of `instances`")
        return
    match = _TASK.match(path.name)
    assert match is not None
    domain = str(content.get("domain") or path.parent.name)
    if domain not in configs:
        names = ", ".join(sorted(configs)) or "none"
        tell(str(path), f"belongs to a domain without a configuration: '{domain}' (configurations: {names})")
    place = str(path.relative_to(folder))
    for number, listed in enumerate(content["instances"]):
        row = row_of(_Row, listed, f"{path}: `instances`[{number}]", tell)
        if row is None:
            continue
        values = (row.instance_id, row.query, row.ground_truth_plan, domain, configs.get(domain))
        yield PublishedPrompt(place, number, match[1], *values)


def _config_files(folder: Path) -> list[Path]:
    files = {*folder.rglob("configs/*.yaml")}
    # The folder may be the folder of prompts.
    return sorted(files or {*folder.parent.glob("configs/*.yaml")})


def _configs(folder: Path, tell: Tell) -> dict[str, Config]:
    """Return the readable configurations by the name of the domain and by the name of the file."""
    configs: dict[str, Config] = {}
    for path in _config_files(folder):
        config = attempt(partial(_config, path, tell), tell)
        if config is None:
            continue
        configs.setdefault(config.name, config)
        configs.setdefault(path.stem, config)
    return configs


def _config(path: Path, tell: Tell) -> Config:
    content = released_yaml(path, tell)
    needed = ("domain_file", "instance_dir", "instances_template", "actions", "predicates")
    lacking = [name for name in needed if not isinstance(content, dict) or not content.get(name)]
    if lacking:
        raise OrreryError(str(path), f"has no {', '.join(lacking)}", AGAIN)
    template = str(content["instances_template"])
    if not _TEMPLATE.fullmatch(template):
        problem = f"'{template:.80}' must contain exactly one {{}} for the number"
        raise OrreryError(f"{path}: instances_template", problem, "write {} in place of the number")
    base = path.parent.parent / "instances"
    folder = str(content["instance_dir"])
    return Config(
        path,
        str(content.get("domain_name") or path.stem),
        base / str(content["domain_file"]),
        base / folder,
        base / str(content.get("generalized_instance_dir") or folder),
        template,
        _words(path, content, "predicates"),
        _words(path, content, "actions"),
        _words(path, content, "encoded_objects"),
        str(content.get("domain_intro_cost") or ""),
    )


def _words(path: Path, content: Mapping[str, Any], key: str) -> Mapping[str, str]:
    """Return the words by name; an unquoted ``on`` is True in YAML."""
    words_by_name = content.get(key) or {}
    if not isinstance(words_by_name, dict):
        raise OrreryError(str(path), f"`{key}` must be a mapping from names to words", AGAIN)
    return {
        "on" if name is True else str(name).lower(): " ".join(str(words or "").split())
        for name, words in words_by_name.items()
    }
