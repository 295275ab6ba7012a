"""The content of a dataset folder: hashes of its files, and the manifest that identifies it as ours.

``manifest.json`` counts the rows of every table and split and lists the SHA-256 of every file. The
*content hash* covers all files except the manifest and the card, which both state it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow.parquet as pq

from orrery.model import OrreryError
from orrery.store import shards
from orrery.store.files import TEMPORARY, write_text
from orrery.store.kinds import as_json

Manifest: TypeAlias = dict[str, Any]

MANIFEST = "manifest.json"
CARD = "README.md"
FORMAT = "orrery-dataset/1"
BYTECODE = "__pycache__"
OF_THE_HUB = {".gitattributes"}  # files that a Hub adds to every repository
HUB_CACHE = ".cache/huggingface/"  # the records of the Hub's client in a downloaded folder
IMPORTED_FROM = "imported_from"  # in the manifest of an imported set, which is not for publication


def file_hashes(folder: Path) -> dict[str, str]:
    """Return SHA-256 of every file under ``folder`` by its path with ``/``, sorted.

    Unfinished files and Python's caches of code in the folder are excluded.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    names = sorted(name for name in files if TEMPORARY not in name and f"{BYTECODE}/" not in name)
    return {name: file_hash(files[name]) for name in names}


def strict_file_hashes(folder: Path) -> dict[str, str]:
    """Return SHA-256 of every file under ``folder`` by its path, sorted, without those that a Hub adds.

    Raises:
        OrreryError: there is a symbolic link, a special file, or one of Python's caches of code.
    """
    paths = {path.relative_to(folder).as_posix(): path for path in _entries(folder)}
    names = sorted(name for name in paths if name not in OF_THE_HUB and not name.startswith(HUB_CACHE))
    for name in names:
        if paths[name].name == BYTECODE:  # Python may execute it instead of the source
            raise OrreryError(str(paths[name]), "is not in the manifest, and contains code", "delete it")
        if paths[name].is_symlink() or not paths[name].is_file():
            mend = "give a folder with plain files, as `hf download --local-dir` writes it"
            raise OrreryError(str(paths[name]), "is a symbolic link or a special file", mend)
    return {name: file_hash(paths[name]) for name in names}


def _entries(folder: Path) -> Iterator[Path]:
    """Yield all paths under a folder except those of folders; a cache of code is one path."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink() and path.name != BYTECODE:
            yield from _entries(path)
        else:
            yield path


def file_hash(path: Path) -> str:
    """Return SHA-256 of the bytes of one file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content_hash(folder: Path) -> str:
    """Return SHA-256 over the sorted names and hashes of the files, manifest and card excluded."""
    hashes = {name: value for name, value in file_hashes(folder).items() if name not in (MANIFEST, CARD)}
    return hash_of(hashes)


def hash_of(files: Mapping[str, str]) -> str:
    """Return the content hash of files with these names and hashes."""
    return hashlib.sha256(as_json(files).encode()).hexdigest()


def folder_hash(folder: Path) -> str:
    """Return SHA-256 over the sorted names and hashes of all files, manifest and card included."""
    return hashlib.sha256(as_json(file_hashes(folder)).encode()).hexdigest()


def write_manifest(dataset: Path, **facts: Any) -> Manifest:
    """Write and return the manifest of a finished ``dataset``, with ``facts`` (JSON values) added.

    The card is not listed, because it is written later, from the manifest.
    """
    files = file_hashes(dataset)
    listed = {name: value for name, value in files.items() if name not in (MANIFEST, CARD)}
    manifest = {
        **facts,
        "format": FORMAT,
        "content_hash": content_hash(dataset),
        "rows": count_rows(dataset),
        "files": listed,
    }
    write_text(dataset / MANIFEST, json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    return manifest


def read_manifest(dataset: Path) -> Manifest:
    """Return the manifest of ``dataset``; raise an OrreryError if there is no manifest of ours."""
    path = dataset / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise OrreryError(
            str(dataset), f"is not a dataset of Orrery: no {MANIFEST}", "run `dvc repro`"
        ) from None
    except ValueError as error:
        raise OrreryError(str(path), f"is not JSON: {error}", "delete it and run `dvc repro`") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise OrreryError(str(path), f"is not a manifest of format {FORMAT}", "run `dvc repro`")
    return manifest


def count_rows(dataset: Path) -> dict[str, dict[str, int]]:
    """Return rows by table and split, read only from the ends of the files."""
    return {
        table: {
            split: sum(pq.read_metadata(path).num_rows for path in paths) for split, paths in by_split.items()
        }
        for table, by_split in shards.splits(dataset).items()
    }


def verify(dataset: Path, mend: str = "run `dvc repro`", *, strict: bool = False) -> Manifest:
    """Check every file against its hash and that no other file exists; return the manifest.

    Unfinished files and caches of code are ignored, unless the check is ``strict``.

    Raise an OrreryError that names the first missing, changed or unknown file.
    """
    manifest = read_manifest(dataset)
    hashes, listed = (strict_file_hashes if strict else file_hashes)(dataset), manifest["files"]
    for name in sorted({*listed, *hashes} - {MANIFEST, CARD}):
        if hashes.get(name) != listed.get(name):
            problem = "was changed" if name in listed else "is not in the manifest"
            problem = problem if name in hashes else "is missing"
            raise OrreryError(str(dataset / name), problem, mend)
    return manifest
