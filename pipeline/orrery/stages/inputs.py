"""The inputs of a stage as dvc.yaml lists them: files, folders of code, and keys of params.yaml.

If a path contains a file or folder named after a domain, the domain depends only on it: ``domains/ferry`` of
``domains``. So adding a domain or editing one of its templates changes only the fingerprint of that domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from orrery.composition.compose import number_of
from orrery.config import Settings
from orrery.installation import wirings
from orrery.parts import Parts, digest, files_below, fingerprint, hashes_of_files
from orrery.store.kinds import Schema
from orrery.yaml_text import parse_yaml

PACKAGE = Path(__file__).resolve().parent.parent
CODE = "pipeline/orrery"  # the path of the package in dvc.yaml, wherever the package is installed
ENDINGS = ("", ".py", ".j2")
OF_COMPOSED = ("mechanics", "themes", "articles", "asked.yaml")  # paths that only composed domains depend on
OF_OTHERS = ("domains", "generators")  # paths that only other domains depend on
DOMAINS = "domains"  # the key with the list of all domains, which does not affect any of them
BY_DOMAIN = "by_domain"
# Commands that are steps of a stage.
STAGE_OF = dict.fromkeys(
    ("render", "generate-questions", "generate-plan-tasks", "generate-worlds"), "generate-tasks"
)


@dataclass(frozen=True)
class StageInputs:
    """The paths that a stage reads, the paths of its code, and the values of its keys of params.yaml."""

    paths: tuple[Path, ...]
    code: tuple[Path, ...]
    values: Mapping[str, Any]

    @classmethod
    def of(cls, settings: Settings, command: str) -> StageInputs:
        """Return the inputs of a command that is a stage of dvc.yaml or a step of one; else none."""
        stage = _wiring(settings.root, STAGE_OF.get(command, command))
        params = _content(settings.root / "params.yaml")
        keys = [key.replace("${size}", settings.size_name) for key in stage.get("params", ())]
        paths = stage.get("deps", ())
        code = [path for path in paths if path.startswith(CODE)]
        return cls(
            tuple(settings.root / path for path in paths if path not in code),
            tuple(PACKAGE / path.removeprefix(CODE).lstrip("/") for path in code),
            {key: _value(params, key) for key in keys},
        )

    def fingerprint(self, domain: str = "") -> str:
        """Return the fingerprint of the inputs of a domain; without a domain, of all inputs."""
        if not domain:
            return fingerprint(self.paths, values=self.values, code=_hash_of_code(self.code))
        values = {
            key: (value or {}).get(domain) if key.endswith(f".{BY_DOMAIN}") else value
            for key, value in self.values.items()
            if key != DOMAINS
        }
        foreign = OF_COMPOSED if number_of(domain) is None else OF_OTHERS
        paths = [_concerning(path, domain) for path in self.paths if path.name not in foreign]
        return fingerprint(paths, values=values, code=_hash_of_code(self.code))

    def stamps(self) -> dict[Path, tuple[int, int]]:
        """Return size and modification time of every file, to detect changes."""
        files = {file for path in (*self.paths, *self.code) for file in files_below(path)}
        return {file: (file.stat().st_size, file.stat().st_mtime_ns) for file in files}


def parts_of(settings: Settings, stage: str, domain: str, schemas: tuple[Schema, ...]) -> Parts:
    """Return the parts of an unfinished stage on a domain, made from the current inputs."""
    made_from = StageInputs.of(settings, stage).fingerprint(domain)
    return Parts(settings.unfinished / stage / domain, schemas, made_from)


def _wiring(root: Path, name: str) -> Mapping[str, Any]:
    """Return the entry of a stage in the checkout's dvc.yaml, or otherwise in that of the installation."""
    for path in wirings(root):
        stage: Mapping[str, Any] | None = _content(path)["stages"].get(name)
        if stage is not None:
            return stage
    return {}


def _content(path: Path) -> Any:
    """Return the content of a YAML file, which every step reads for every domain."""
    return _parsed(path.read_bytes(), str(path))


_parsed = lru_cache(maxsize=4)(parse_yaml)


@cache
def _hash_of_code(paths: tuple[Path, ...]) -> str:
    """Return the hash of files and folders of code, read once per process as the code itself."""
    return digest(hashes_of_files(paths))


def _concerning(path: Path, domain: str) -> Path:
    """Return the file or folder named after a domain in a folder; the folder itself if there is none."""
    candidates = (path / f"{domain}{ending}" for ending in ENDINGS)
    return next((candidate for candidate in candidates if candidate.exists()), path)


def _value(params: Any, key: str) -> Any:
    for step in key.split("."):
        params = params.get(step) if isinstance(params, dict) else None
    return params
