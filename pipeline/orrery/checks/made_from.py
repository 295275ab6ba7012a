"""What verdicts are made from, as hashes: rows, the files of a domain, the code of checks, the installation.

Too much rather than too little: a verdict that is kept for other inputs would be wrong, one that is thrown
away costs time alone. Of our code, what stands outside this folder counts by packages, whole; within it by
modules.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from orrery.checks import family_checks
from orrery.store.columns import Table

PACKAGE = Path(__file__).parent.parent
HERE = __package__
SHARED = (f"{HERE}.problem_rows", f"{HERE}.made_from")  # run for the checks of every family
BY_GENERATORS = "orrery.generator_kit"  # what generators may import besides what all do
IMPORT = re.compile(
    r"^\s*(?:from\s+(orrery[\w.]*)\s+import\s+(\([^)]*\)|[^\n]+)|import\s+(orrery[\w.]*))", re.M
)
REGISTRY = re.compile(r"\b(?:iter_modules|import_module)\(")
TEMPLATE = re.compile(r"[\w-]+\.j2")
BYTECODE = "__pycache__"


@dataclass(frozen=True)
class MadeFrom:
    """Hashes of all that is no row: by family its code, by domain its files; the installation."""

    code: Mapping[str, str]
    domains: Mapping[str, str]
    installation: str

    @classmethod
    def of(cls, root: Path, domains: Iterable[str]) -> MadeFrom:
        """Return the hashes for the checkout at ``root``."""
        code = {name: code_of(name) for name in family_checks()}
        return cls(code, {name: hashed(domain_files(root, name)) for name in domains}, installation())


def hashed(value: Any) -> str:
    """Return a hash of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def hash_of_rows(rows: Table) -> str:
    """Return a hash of the names, kinds and values of the columns of some rows."""
    digest = _Digest()
    with pa.ipc.new_stream(pa.PythonFile(digest, "w"), rows.schema.remove_metadata()) as stream:
        stream.write_table(rows.combine_chunks().replace_schema_metadata(None))
    return digest.hash.hexdigest()


def domain_files(root: Path, name: str) -> list[tuple[str, str]]:
    """Return path and hash of every file that the checks of a domain's rows may read.

    Of the words of other domains it is those that its own template names.
    """
    words, templates = root / "templates" / "domains", root / "templates"
    shared = [path for path in _files(templates) if path.parent != words]
    own = [*_files(root / "domains" / name), root / "generators" / f"{name}.py"]
    paths = [*shared, *own, *(words / each for each in _named(words, f"{name}.j2"))]
    return [(path.relative_to(root).as_posix(), _hash(path)) for path in sorted(paths) if path.is_file()]


def _named(folder: Path, start: str) -> set[str]:
    """Return a template of a folder and those that it names, directly or not."""
    found, waiting = set[str](), [start]
    while waiting:
        if (name := waiting.pop()) not in found and (folder / name).is_file():
            found.add(name)
            waiting += TEMPLATE.findall((folder / name).read_text(encoding="utf-8"))
    return found


def code_of(family: str) -> str:
    """Return a hash of the code that checks the rows of a family."""
    return hashed([(path.relative_to(PACKAGE).as_posix(), _hash(path)) for path in code_files(family)])


def code_files(family: str) -> list[Path]:
    """Return the files of the code that checks the rows of a family, sorted."""
    modules, rooms = _checks([*SHARED, f"{HERE}.{family}"])
    return sorted(
        {*modules, *(path for room in _rooms([*rooms, BY_GENERATORS]) for path in _room_files(room))}
    )


def _checks(start: Iterable[str]) -> tuple[set[Path], set[str]]:
    """Return the modules of this folder that some of them bring, and what else of ours these import."""
    found, rooms, waiting = dict[str, Path](), set[str](), list(start)
    while waiting:
        if (name := waiting.pop()) in found or (path := _path(name)) is None:
            continue
        found[name] = path
        if name != HERE:  # which looks up the checks of all families: here they are asked for one by one
            waiting.append(name.rpartition(".")[0])
            if path.name == "__init__.py" and REGISTRY.search(_text(path)):
                waiting += [f"{name}.{each.stem}" for each in path.parent.glob("*.py")]
        for dotted in _imports(path):
            inside = dotted == HERE or dotted.startswith(f"{HERE}.")
            waiting += [dotted] if inside else []
            rooms |= set() if inside else {dotted}
    return set(found.values()), rooms


def _rooms(start: Iterable[str]) -> set[Path]:
    """Return the packages, and modules beside them, that some modules of ours bring."""
    found, waiting = set[Path](), [_room(dotted) for dotted in start]
    while waiting:
        if (room := waiting.pop()) is not None and room not in found:
            found.add(room)
            waiting += [_room(dotted) for path in _room_files(room) for dotted in _imports(path)]
    return found - {PACKAGE / HERE.rpartition(".")[2]}


def _room(dotted: str) -> Path | None:
    """Return the package or module directly under ours in which a dotted name lies."""
    name = f"{dotted}.".split(".")[1]
    path = PACKAGE / name
    return path if name and path.is_dir() else found if (found := path.with_suffix(".py")).is_file() else None


def _room_files(room: Path) -> list[Path]:
    return [path for path in _files(room) if path.suffix == ".py"] if room.is_dir() else [room]


@lru_cache(maxsize=1024)
def _imports(path: Path) -> tuple[str, ...]:
    """Return the dotted names of ours that a file imports, those within functions too."""
    found = []
    for package, names, module in IMPORT.findall(_text(path)):
        listed = re.findall(r"\w+", re.sub(r"#.*|\bas\s+\w+", "", names))
        found += [module] if module else [package, *(f"{package}.{name}" for name in listed)]
    return tuple(found)


def _path(module: str) -> Path | None:
    """Return the file of a module; None for a name of something in one."""
    folder = PACKAGE.joinpath(*module.split(".")[1:])
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    return path if path.is_file() else None


def installation() -> str:
    """Return a hash of Python's version and of the distributions installed, by name and version."""
    folders = {Path(entry) for entry in sys.path if entry}
    there = {path.name for folder in folders if folder.is_dir() for path in folder.glob("*.dist-info")}
    return hashed([sys.version, sorted(there)])


def _files(folder: Path) -> Iterator[Path]:
    found = (path for path in folder.rglob("*") if path.is_file() and BYTECODE not in path.parts)
    return iter(sorted(found))


@lru_cache(maxsize=1024)
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@lru_cache(maxsize=4096)
def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class _Digest:
    """A file that only hashes what is written to it."""

    closed = False

    def __init__(self) -> None:
        self.hash = hashlib.sha256()

    def write(self, data: Any) -> int:
        """Take in some bytes."""
        self.hash.update(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
