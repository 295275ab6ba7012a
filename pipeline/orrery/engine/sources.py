"""The files of a checkout that work elsewhere reads: they go there once, to a folder called by their hash.

They are what people write: domains, generators, templates, parameters. What stages write is not among them.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

NAMES = ("domains", "generators", "templates", "params.yaml")
BYTECODE = "__pycache__"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes for the same files


@dataclass(frozen=True)
class Sources:
    """The files, as an archive, and its hash."""

    digest: str
    data: bytes = field(repr=False)

    @classmethod
    def of(cls, root: Path) -> Sources | None:
        """Return those of the checkout at ``root``; None where there is none."""
        if not all((root / name).exists() for name in NAMES):
            return None
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for path in _files(root):
                about = zipfile.ZipInfo(path.relative_to(root).as_posix(), _EPOCH)
                archive.writestr(about, path.read_bytes(), zipfile.ZIP_DEFLATED)
        data = buffer.getvalue()
        return cls(hashlib.sha256(data).hexdigest(), data)

    def unpack(self, folder: Path) -> None:
        """Write them to ``folder``, whole or not at all; what is there already is the same."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as name:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                archive.extractall(Path(name) / "new")
            if not folder.exists():
                os.rename(Path(name) / "new", folder)


def _files(root: Path) -> Iterator[Path]:
    for name in NAMES:
        found = root / name
        for path in sorted(found.rglob("*")) if found.is_dir() else [found]:
            if path.is_file() and BYTECODE not in path.parts:
                yield path
