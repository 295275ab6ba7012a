"""What parts were made from, as a hash: parts made from something else are not used."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent


def fingerprint(paths: Iterable[Path], **values: Any) -> str:
    """Return a hash of the files at and under ``paths``, of JSON ``values``, of this package and of Python.

    Parts made under one fingerprint are never used under another. Files are identified by name and
    content, not by where the checkout lies.
    """
    known = [json.dumps(values, sort_keys=True), sys.version, *_own_hashes(), *hashes_of_files(paths)]
    return digest(known)[:32]


@cache
def _own_hashes() -> tuple[str, ...]:
    """Return the lines of this package, read once a process: what is written later it does not run."""
    return tuple(hashes_of_files([PACKAGE]))


def hashes_of_files(roots: Iterable[Path]) -> Iterator[str]:
    """Yield a line for each file at and under some paths: its name from there on, and its SHA-256."""
    for root in roots:
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(root.parent).as_posix()
                yield f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def digest(lines: Iterable[str]) -> str:
    """Return the SHA-256 of lines, in hexadecimal."""
    return hashlib.sha256(json.dumps(list(lines)).encode()).hexdigest()
