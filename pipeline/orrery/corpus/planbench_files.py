"""Read the files of PlanBench: prompts in JSON, one YAML configuration per domain, and PDDL.

prompts/<domain>/task_*.json     configs/<domain>.yaml     instances/<folder>/instance-<number>.pddl
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, StrictInt

from orrery.corpus.sources import validated
from orrery.model import Domain, OrreryError, Problem, UsageError
from orrery.pddl.read import read_domain_file, read_problem
from orrery.yaml_text import read_yaml

MEND = "name the published folder: prompts/<domain>/task_*.json, configs/*.yaml and instances/ below it"
AGAIN = "download it again"
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
    """A row of a prompt file; ``stored`` is its published answer, ``number`` counts from 0."""

    file: str
    number: int
    task: str
    instance: int
    query: str
    stored: str | list[str] | None
    config: Config


def prompts(folder: Path) -> list[PublishedPrompt]:
    """Return the rows of all files ``task_*.json`` below ``folder``, files sorted.

    Raises:
        UsageError: the folder or such a file does not exist.
        OrreryError: a file cannot be read or lacks a field, or all files are empty; the message names the
            place.
    """
    paths = prompt_files(folder)
    configs = _configs(folder)
    rows = [row for path in paths for row in _rows(folder, path, configs)]
    if not rows:
        raise OrreryError(str(folder), "has no rows: `instances` is empty in all files task_*.json", AGAIN)
    return rows


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
    if not config.domain_file.is_file():
        problem = f"does not exist, but {config.path.name} names it as the domain"
        raise OrreryError(str(config.domain_file), problem, AGAIN)
    return read_domain_file(config.domain_file)


def problem_at(path: Path, domain: Domain) -> Problem | None:
    """Return the problem of a file; None for a missing file.

    Raises:
        OrreryError: it is not PDDL of the subset.
    """
    return read_problem(_text(path), domain, str(path)) if path.is_file() else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise OrreryError(str(path), f"cannot be read: {error.strerror}", AGAIN) from error
    except UnicodeDecodeError as error:
        raise OrreryError(str(path), f"is not UTF-8 at byte {error.start + 1}", AGAIN) from error


class _Row(BaseModel):
    """A row of a prompt file, as published."""

    instance_id: StrictInt
    query: str
    ground_truth_plan: str | list[str] | None


class _File(BaseModel):
    """A prompt file, as published."""

    domain: str | None = None
    instances: list[_Row]


def _rows(folder: Path, path: Path, configs: Mapping[str, Config]) -> Iterator[PublishedPrompt]:
    content = validated(_File, _text(path), path, AGAIN)
    name = content.domain or path.parent.name
    if name not in configs:
        names = ", ".join(sorted(configs)) or "none"
        problem = f"belongs to domain '{name}', which has no configuration (configurations: {names})"
        raise OrreryError(str(path), problem, f"add configs/{name}.yaml")
    match = _TASK.match(path.name)
    assert match is not None
    for number, row in enumerate(content.instances):
        yield PublishedPrompt(
            str(path.relative_to(folder)),
            number,
            match[1],
            row.instance_id,
            row.query,
            row.ground_truth_plan,
            configs[name],
        )


def _config_files(folder: Path) -> list[Path]:
    files = {*folder.rglob("configs/*.yaml")}
    # The folder may be the folder of prompts.
    return sorted(files or {*folder.parent.glob("configs/*.yaml")})


def _configs(folder: Path) -> dict[str, Config]:
    """Return the configurations by the name of the domain and by the name of the file."""
    configs: dict[str, Config] = {}
    for path in _config_files(folder):
        config = _config(path)
        configs.setdefault(config.name, config)
        configs.setdefault(path.stem, config)
    return configs


def _config(path: Path) -> Config:
    content = read_yaml(path, AGAIN)
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
