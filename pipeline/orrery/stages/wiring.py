"""What dvc.yaml says of a stage that works domain by domain, read for one of the domains.

DVC knows such a stage as a whole. Of each path that it depends on, and each that it writes, a domain concerns
what is named after it alone, if there is such a thing: ``domains/ferry`` of ``domains``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orrery.config import Settings
from orrery.dataset.contents import file_hash
from orrery.engine import digest, hashes_of_files
from orrery.store.shards import replacing
from orrery.yaml_text import read_yaml

PACKAGE = Path(__file__).resolve().parent.parent
MADE = ".made"
ENDINGS = ("", ".py", ".j2")
OF_ALL = "domains"  # a key of params.yaml: which domains there are is no matter of one of them
BY_DOMAIN = "by_domain"


@dataclass(frozen=True)
class Wiring:
    """The paths that a stage depends on and writes, and the keys of params.yaml that it reads."""

    root: Path
    command: str
    depends_on: Sequence[Path]
    writes: Sequence[Path]
    values: dict[str, Any]

    @classmethod
    def of(cls, settings: Settings, command: str) -> Wiring | None:
        """Return what dvc.yaml says of the stage ``command``; None where it has no such stage."""
        root = settings.root
        if not (root / "dvc.yaml").exists():
            return None
        stage = read_yaml(root / "dvc.yaml")["stages"].get(command)
        if stage is None:
            return None
        params = read_yaml(root / "params.yaml")
        keys = [key.replace("${size}", settings.size_name) for key in stage["params"]]
        return cls(
            root,
            command,
            [root / path for path in stage["deps"]],
            [root / path for each in stage["outs"] for path in each],
            {key: _value(params, key) for key in keys if key != OF_ALL},
        )

    def is_made(self, name: str) -> bool:
        """Return whether the outputs of a domain are what was made of what there is now."""
        try:
            said = self._record(name).read_text(encoding="ascii")
        except FileNotFoundError:
            return False
        made_from = self.made_from(name)
        return made_from is not None and said == self._said(name, made_from)

    def note(self, name: str, made_from: str | None) -> None:
        """Write down that the outputs of a domain were made of what ``made_from`` said before."""
        if made_from is not None:
            with replacing(self._record(name)) as path:
                path.write_text(self._said(name, made_from), encoding="ascii")

    def made_from(self, name: str) -> str | None:
        """Return a hash of all that a domain's outputs are made from.

        None where the code has changed since ``orrery code`` wrote what the stage runs.
        """
        if not all(map(_is_listed_now, self._lists())):
            return None
        paths = [_own(path, name) for path in self.depends_on]
        values = {
            key: value.get(name) if key.endswith(f".{BY_DOMAIN}") else value
            for key, value in self.values.items()
        }
        return digest([json.dumps(values, sort_keys=True), *hashes_of_files(paths)])

    def _lists(self) -> Iterator[Path]:
        return (path for path in self.depends_on if path.suffix == ".txt")

    def _record(self, name: str) -> Path:
        return self.root / "outputs" / MADE / self.command / name

    def _said(self, name: str, made_from: str) -> str:
        return f"{made_from} {digest(hashes_of_files(path / name for path in self.writes))}\n"


def _own(path: Path, name: str) -> Path:
    """Return what is named after a domain in a folder; the folder where there is none."""
    candidates = (path / f"{name}{ending}" for ending in ENDINGS)
    return next((each for each in candidates if each.exists()), path)


def _value(params: Any, key: str) -> Any:
    for step in key.split("."):
        params = params.get(step) if isinstance(params, dict) else None
    return params


def _is_listed_now(listed: Path) -> bool:
    """Return whether the modules that a file lists are there, with the digests that it gives."""
    try:
        lines = [line.split("  ") for line in listed.read_text(encoding="utf-8").splitlines()]
        return all(file_hash(PACKAGE.parent / path) == said for said, path in lines)
    except (FileNotFoundError, ValueError):  # gone, or not such a list
        return False
