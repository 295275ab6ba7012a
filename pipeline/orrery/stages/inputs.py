"""What a stage is made from, as dvc.yaml lists it: files, folders of code, and keys of params.yaml.

Of each path a domain concerns what is named after it alone, if there is such a file: ``domains/ferry`` of
``domains``. So adding a domain or editing one of its templates changes the fingerprint of that domain only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from orrery.config import Settings
from orrery.installation import wirings
from orrery.parts import digest, files_below, fingerprint, hashes_of_files
from orrery.yaml_text import read_yaml

PACKAGE = Path(__file__).resolve().parent.parent
CODE = "pipeline/orrery"  # in dvc.yaml; stands for the package that runs, wherever it is installed
ENDINGS = ("", ".py", ".j2")
DOMAINS = "domains"  # the key of the list of all domains, which concerns none of them
BY_DOMAIN = "by_domain"
# Commands that are steps of a stage.
STAGE_OF: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("render", "generate-questions", "generate-plan-tasks"), "generate-tasks")
)


@dataclass(frozen=True)
class StageInputs:
    """The paths that a stage reads, those of its code, and the values of its keys of params.yaml."""

    paths: tuple[Path, ...]
    code: tuple[Path, ...]
    values: Mapping[str, Any]

    @classmethod
    def of(cls, settings: Settings, command: str) -> StageInputs:
        """Return the inputs of a command that is a stage of dvc.yaml, or a step of one; otherwise none."""
        stage = _wiring(settings.root, STAGE_OF.get(command, command))
        params = read_yaml(settings.root / "params.yaml")
        keys = [key.replace("${size}", settings.size_name) for key in stage.get("params", ())]
        paths = stage.get("deps", ())
        code = [path for path in paths if path.startswith(CODE)]
        return cls(
            tuple(settings.root / path for path in paths if path not in code),
            tuple(PACKAGE / path.removeprefix(CODE).lstrip("/") for path in code),
            {key: _value(params, key) for key in keys},
        )

    def fingerprint(self, domain: str) -> str:
        """Return the fingerprint of what the outputs of a domain are made from."""
        values = {
            key: (value or {}).get(domain) if key.endswith(f".{BY_DOMAIN}") else value
            for key, value in self.values.items()
            if key != DOMAINS
        }
        paths = [_concerning(path, domain) for path in self.paths]
        return fingerprint(paths, values=values, code=_hash_of_code(self.code))

    def stamps(self) -> dict[Path, tuple[int, int]]:
        """Return size and time of change of every file, by which a change is noticed."""
        files = {file for path in (*self.paths, *self.code) for file in files_below(path)}
        return {file: (file.stat().st_size, file.stat().st_mtime_ns) for file in files}


def _wiring(root: Path, name: str) -> Mapping[str, Any]:
    """Return what the checkout's dvc.yaml, or else that of the installation, says of a stage."""
    for path in wirings(root):
        stage: Mapping[str, Any] | None = read_yaml(path)["stages"].get(name)
        if stage is not None:
            return stage
    return {}


@cache
def _hash_of_code(paths: tuple[Path, ...]) -> str:
    """Return the hash of files and folders of code, read once a process: later changes do not run in it."""
    return digest(hashes_of_files(paths))


def _concerning(path: Path, domain: str) -> Path:
    """Return the file or folder named after a domain in a folder; the folder where there is none."""
    candidates = (path / f"{domain}{ending}" for ending in ENDINGS)
    return next((candidate for candidate in candidates if candidate.exists()), path)


def _value(params: Any, key: str) -> Any:
    for step in key.split("."):
        params = params.get(step) if isinstance(params, dict) else None
    return params
